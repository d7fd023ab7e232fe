"""The votes that a change of gold answers moves. It counts from the next estimation on, whose votes may be others."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from answering.equivalence import NO_JOINS
from registry.corpora.model import Corpus
from registry.estimations.estimator_inputs import right_classes
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.estimates import answers_to
from registry.platform.database.base import AsyncSession
from registry.queries.model import Query
from registry.queries.schemas import MovedVote, VoteCounts
from registry.queries.store import joined_answers
from registry.sources.store.estimates import current_run


@dataclass(frozen=True, slots=True)
class GoldEffect:
    """The votes of a run on a query; empty without a run, or without the query in it."""

    estimation_id: UUID | None
    before: VoteCounts
    after: VoteCounts
    moved: list[MovedVote]


async def gold_effect(
    session: AsyncSession, corpus: Corpus, query: Query, before: Sequence[str] | None, after: Sequence[str] | None
) -> GoldEffect:
    """The effect on the votes of the current run if `after` are the right answers instead of `before`."""
    run = await current_run(session, corpus)
    rows = await answers_to(session, run, query) if run is not None else []
    parameters = EstimationParameters.model_validate(run.parameters if run is not None else {})
    voted = {answer: key for _, _, answer, key in rows}
    joins = (await joined_answers.of_questions(session, corpus, [query.text])).get(query.text, NO_JOINS)

    def verdicts(gold_answers: Sequence[str] | None) -> list[bool | None]:
        if not gold_answers:
            return [None] * len(rows)
        right = right_classes(gold_answers, voted, parameters.class_policy, query.text, joins)
        return [key in right for _, _, _, key in rows]

    was, is_now = verdicts(before), verdicts(after)
    moved = [
        MovedVote(source_id=source_id, source_name=name, answer=answer, before=old, after=new)
        for (source_id, name, answer, _), old, new in zip(rows, was, is_now, strict=True)
        if old is not new
    ]
    counts_before, counts = [VoteCounts(right=each.count(True), wrong=each.count(False)) for each in (was, is_now)]
    return GoldEffect(None if run is None else run.id, counts_before, counts, moved)
