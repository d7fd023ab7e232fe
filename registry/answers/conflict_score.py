"""The ConflictScore of an answer; a score that fails never costs the answer."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from answering.conflict import ClaimDocuments, ConflictScore, RuleSplitter, rule_claims, score_claims
from answering.enums import JudgeKind
from answering.passages import RetrievedPassage
from estimator.errors import CredenceError
from registry.answers.context import QuestionContext
from registry.answers.evidence import Evidence
from registry.conflict_scores.documents import conflict_view, named_documents
from registry.conflict_scores.schemas import ConflictScoreView
from registry.platform.settings import AnswerJudge

log = structlog.get_logger(__name__)

# The time limit of a score; an answer that exceeds it has none.
SECONDS = 20.0
SWITCHED_OFF = "Conflict scores of answers are switched off (CREDENCE_CONFLICT_JUDGE)."
NO_ANSWER = "There is no answer to score."
FAILED = "The judge failed; the log of the service has the reason."


@dataclass(frozen=True, slots=True)
class ConflictScoring:
    """The ConflictScore of some answers, or the reason why there is none."""

    score: ConflictScoreView | None = None
    missing: str | None = None


async def score_conflict(
    context: QuestionContext,
    evidence: Evidence,
    answers: Sequence[str],
    more_passages: Sequence[RetrievedPassage] = (),
) -> ConflictScoring:
    settings = context.runtime.settings
    if settings.conflict_judge is AnswerJudge.NONE:
        return ConflictScoring(missing=SWITCHED_OFF)
    if not answers:
        return ConflictScoring(missing=NO_ANSWER)
    task = asyncio.create_task(_score(context, evidence, answers, more_passages))
    try:
        # The task is not awaited: what it raises is the reason for a missing score and does not end the answer.
        await asyncio.wait({task}, timeout=SECONDS)
    finally:
        finished = task.done()
        task.cancel()
    if not finished:
        return ConflictScoring(missing=f"No score within {SECONDS:g} seconds.")
    error = task.exception()
    return ConflictScoring(score=task.result()) if error is None else ConflictScoring(missing=_reason(error))


def _reason(error: BaseException) -> str:
    log.warning("conflict_score_missing", exc_info=error)
    return f"The judge failed: {error}" if isinstance(error, CredenceError) else FAILED


async def _score(
    context: QuestionContext, evidence: Evidence, answers: Sequence[str], more_passages: Sequence[RetrievedPassage]
) -> ConflictScoreView:
    started = time.perf_counter()
    judge = context.runtime.judges.of(JudgeKind(context.runtime.settings.conflict_judge))
    passages = (*evidence.passages, *more_passages)
    library = named_documents(passages, evidence.sources, evidence.count.electorate, evidence.copies)
    # Answers are short, so that splitting them by rules is enough.
    claims = [claim for answer in answers for claim in rule_claims(answer, context.question)]
    judged = await score_claims([ClaimDocuments(claim, library.documents) for claim in claims], judge)
    score = ConflictScore(judged.claims, RuleSplitter.name, judge.name, judged.usage, judged.notes)
    milliseconds = (time.perf_counter() - started) * 1000
    return conflict_view(score, library.references, default=evidence.count.electorate.prior, milliseconds=milliseconds)
