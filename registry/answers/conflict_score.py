"""The ConflictScore of an answer of ours. Whatever becomes of it, the answer is not lost."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from answering.conflict import ClaimDocuments, ConflictScore, RuleSplitter, rule_claims, score_claims
from estimator.errors import CredenceError
from registry.conflict_scores.documents import NamedDocuments
from registry.conflict_scores.report import conflict_view
from registry.results.answer import AnswerResult, UsageView
from registry.results.conflict_score import ConflictScoreView
from registry.runtime import Runtime
from registry.settings import AnswerJudge, JudgeKind

log = structlog.get_logger(__name__)

SWITCHED_OFF = "Conflict scores of answers are switched off (CREDENCE_CONFLICT_JUDGE)."
NO_ANSWER = "There is no answer to score."
FAILED = "The judge failed for a reason that only the service's log has."


@dataclass(frozen=True, slots=True)
class Composed:
    """An answer, the documents of its selected sources that were read, and what unknown sources count as."""

    result: AnswerResult
    library: NamedDocuments
    default: float


async def with_conflict_score(runtime: Runtime, question: str, composed: Composed) -> AnswerResult:
    """The answer with its score, or with the reason why it has none."""
    result = composed.result
    if runtime.settings.conflict_judge is AnswerJudge.NONE:
        return result.model_copy(update={"conflict_score_missing": SWITCHED_OFF})
    if not result.answers:
        return result.model_copy(update={"conflict_score_missing": NO_ANSWER})
    score = await _score_or_reason(runtime, question, composed)
    if isinstance(score, str):
        return result.model_copy(update={"conflict_score_missing": score})
    return result.model_copy(update={"conflict_score": score, "usage": with_judging(result.usage, score)})


def with_judging(usage: UsageView, score: ConflictScoreView) -> UsageView:
    """What a language model that judged has cost is part of the price; the compact judge's tokens are none's."""
    if not score.usage.model_calls:
        return usage
    return usage.model_copy(
        update={
            "model_calls": usage.model_calls + score.usage.model_calls,
            "input_tokens": usage.input_tokens + score.usage.input_tokens,
            "output_tokens": usage.output_tokens + score.usage.output_tokens,
        }
    )


async def _score_or_reason(runtime: Runtime, question: str, composed: Composed) -> ConflictScoreView | str:
    seconds = runtime.settings.conflict_timeout_seconds
    scoring = asyncio.create_task(_score(runtime, question, composed))
    try:
        # Not awaited itself: whatever it raises is the reason for a missing score, and no more.
        await asyncio.wait({scoring}, timeout=seconds)
    finally:
        finished = scoring.done()
        scoring.cancel()
    if not finished:
        return f"No score within {seconds:g} seconds (CREDENCE_CONFLICT_TIMEOUT_SECONDS)."
    error = scoring.exception()
    return scoring.result() if error is None else _reason(error)


def _reason(error: BaseException) -> str:
    log.warning("conflict_score_missing", exc_info=error)
    return f"The judge failed: {error}" if isinstance(error, CredenceError) else FAILED


async def _score(runtime: Runtime, question: str, composed: Composed) -> ConflictScoreView:
    began = time.perf_counter()
    judge = runtime.judges.of(JudgeKind(runtime.settings.conflict_judge))
    grounds = _grounds(question, composed.result.answers, composed.library)
    judged = await score_claims(grounds, judge)
    scored = ConflictScore(judged.claims, RuleSplitter.name, judge.name, judged.usage)
    return conflict_view(
        scored, composed.library.names, default=composed.default, milliseconds=(time.perf_counter() - began) * 1000
    )


def _grounds(question: str, answers: Sequence[str], library: NamedDocuments) -> list[ClaimDocuments]:
    """Every claim of every answer against every document; answers are short, so the rules are enough."""
    claims = (claim for answer in answers for claim in rule_claims(answer, question))
    return [ClaimDocuments(claim, library.documents) for claim in claims]
