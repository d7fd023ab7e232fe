"""A query as it is now, with its right answers, what their last change moved, and the changes before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from answering.equivalence import NO_JOINS
from api.http.schemas.queries import GoldChangeView, QueryView
from api.pages.positions import Position
from registry.corpora.model import Corpus
from registry.estimations.estimator_inputs import right_classes
from registry.estimations.gold_effect import gold_effect
from registry.estimations.model import EstimationRun, Vote
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.base import AsyncSession
from registry.platform.errors import NotFound
from registry.queries import store as queries
from registry.queries.model import GoldEntry, Query
from registry.queries.store import gold, joined_answers
from registry.viewers.model import Viewer

ENTRIES_SHOWN = 20


async def last_change(session: AsyncSession, corpus: Corpus, query: Query, viewer: Viewer) -> GoldChangeView | None:
    """The last change of its right answers that is not undone, and what it moved in the current run; None for who does
    not see everything, as that names answers, whoever may see them.
    """
    last = await gold.newest(session, query.id)
    if last is None or not viewer.sees_all:
        return None
    effect = await gold_effect(session, corpus, query, last.answers_before, query.gold_answers)
    return GoldChangeView.of(query, last.answers_before, last, effect)


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query that was not deleted since the run that is shown."""

    query: QueryView
    right: frozenset[str]
    """Answer classes of the run that are right."""
    counts: Mapping[str, int]
    """Votes of the run by their answer class."""
    change: GoldChangeView | None
    """The last change of the right answers that is not undone, and what it moved in the current run."""
    history: Sequence[GoldEntry]
    """The newest first."""

    @classmethod
    async def of(
        cls,
        session: AsyncSession,
        corpus: Corpus,
        run: EstimationRun,
        query_id: UUID,
        votes: Sequence[Vote],
        viewer: Viewer,
    ) -> Self | None:
        """A query of a run and those of its votes that the viewer sees; None if it was deleted."""
        try:
            query = await queries.get(session, corpus, query_id, viewer)
        except NotFound:
            return None
        entries = (await gold.page(session, corpus, query.id, limit=ENTRIES_SHOWN, viewer=viewer)).items
        joins = (await joined_answers.of_questions(session, corpus, [query.text])).get(query.text, NO_JOINS)
        voted = {vote.answer or "": vote.answer_key for vote in votes if vote.answer_key is not None}
        policy = EstimationParameters.model_validate(run.parameters).class_policy
        return cls(
            query=QueryView.of(query, viewer),
            right=frozenset(right_classes(query.gold_answers or (), voted, policy, query.text, joins)),
            counts=Counter(vote.answer_key for vote in votes if vote.answer_key is not None),
            change=await last_change(session, corpus, query, viewer),
            history=entries,
        )

    def is_right(self, position: Position) -> bool:
        """Whether the answer of a position is right."""
        return any(member.vote.answer_key in self.right for member in position.votes)

    def if_right(self, position: Position, *, alone: bool) -> tuple[int, int]:
        """The votes that are right and wrong if its answer is right: beside those that are, or `alone`."""
        right = {member.vote.answer_key for member in position.votes} | (frozenset() if alone else self.right)
        found = sum(count for key, count in self.counts.items() if key in right)
        return found, sum(self.counts.values()) - found
