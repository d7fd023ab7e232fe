"""What a change of the gold answers of a query moves: which votes of the current run are right by them, which wrong.

Gold answers count from the next estimation on; its votes may be others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.estimations.gold_answers import right_classes
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import answers_to
from registry.queries.model import Query
from registry.sources.store.estimates import current_run


@dataclass(frozen=True, slots=True)
class MovedVote:
    """A vote that is right by the answers of after and was not, or the other way round; None without any answers."""

    source_id: UUID
    source_name: str | None
    answer: str
    before: bool | None
    after: bool | None


@dataclass(frozen=True, slots=True)
class VoteCounts:
    """Votes on a query that gold answers say are right, and wrong."""

    right: int
    wrong: int

    @classmethod
    def of(cls, verdicts: Sequence[bool | None]) -> Self:
        """From what they say of each."""
        return cls(verdicts.count(True), verdicts.count(False))


@dataclass(frozen=True, slots=True)
class GoldEffect:
    """Of the votes of a run on a query; without a run, or a query in it, there are none."""

    estimation_id: UUID | None
    before: VoteCounts
    after: VoteCounts
    moved: tuple[MovedVote, ...]


async def gold_effect(
    session: AsyncSession, corpus: Corpus, query: Query, before: Sequence[str] | None, after: Sequence[str] | None
) -> GoldEffect:
    """What it means for the votes of the current run that `after` are the right answers instead of `before`."""
    run = await current_run(session, corpus)
    rows = await answers_to(session, run, query) if run is not None else []
    parameters = EstimationParameters.model_validate(run.parameters if run is not None else {})
    voted = {answer: key for _, _, answer, key in rows}

    def verdicts(gold_answers: Sequence[str] | None) -> list[bool | None]:
        if not gold_answers:
            return [None] * len(rows)
        right = right_classes(gold_answers, voted, parameters.class_policy, query.text)
        return [key in right for _, _, _, key in rows]

    was, is_now = verdicts(before), verdicts(after)
    moved = (
        MovedVote(source_id, name, answer, old, new)
        for (source_id, name, answer, _), old, new in zip(rows, was, is_now, strict=True)
        if old is not new
    )
    return GoldEffect(None if run is None else run.id, VoteCounts.of(was), VoteCounts.of(is_now), tuple(moved))
