"""The confidence that people are shown with an answer, and the evidence behind it. Every door shows what this decides.

By an evaluation on right answers, where one measured such answers: by the same run, reader and language model, asked
with the same parameters, of which settings fill in some, with the same reliabilities set by hand, and without conflict.
Else by the estimate alone, and where of no supporter more is known than of a source that never voted, by nothing.
"""

from collections.abc import Mapping
from uuid import UUID

from answering.voting import Outcome
from answering.voting.electorate import SUREST_OF_LATECOMERS
from registry.answers import store as answers
from registry.answers.model import AnswerRecord
from registry.answers.result_schemas import AnswerResult, SelectedSource
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.evaluations.schemas import Basis, CalibratedConfidence, CalibrationBin
from registry.platform.database.base import AsyncSession, Json
from registry.sources.reliabilities import PRIOR_INTERVAL
from registry.sources.store import estimates
from registry.sources.store.estimates import MeasuredCalibration
from registry.viewers.model import ALL_SEEING, Viewer

# Parameters that no answer depends on.
_INDIFFERENT = {"batch", "keep_as_query"}
NO_MORE = ", but this one rests on sources that came last"


async def calibrated(session: AsyncSession, corpus: Corpus, result: AnswerResult, parameters: Json) -> AnswerResult:
    """The result with the number that a person is shown, by the newest evaluation that measured such answers."""
    if not result.answers or result.parts:
        return result
    run_id = result.estimation_id
    measured = [] if run_id is None else await estimates.calibrations_of(session, corpus, run_id)
    counting = next((each for each in measured if _measured(each, result, parameters)), None)
    supporters = [source.source_id for source in result.selected_sources if source.supports]
    votes = await estimates.votes_of(session, run_id, supporters)
    return result.model_copy(update={"calibrated_confidence": calibrated_confidence(result, counting, votes)})


async def stored_answer(
    session: AsyncSession, corpus: Corpus, answer_id: UUID, viewer: Viewer = ALL_SEEING
) -> tuple[AnswerRecord, AnswerResult | None]:
    """An answer and its result, calibrated by what was evaluated since; raises `NotFound`."""
    record = await answers.get(session, corpus, answer_id, viewer)
    if record.result is None:
        return record, None
    result = AnswerResult.model_validate(record.result)
    return record, await calibrated(session, corpus, result, record.parameters)


def calibrated_confidence(
    result: AnswerResult, measured: MeasuredCalibration | None, votes: Mapping[UUID, float]
) -> CalibratedConfidence:
    """The number that a person is shown of an answer, given the calibration that counts for it, if there is one, and on
    how many votes the reliabilities of its supporters rest.
    """
    by_estimate = _in_100(result.confidence)
    bin_ = _bin(measured, result.confidence)
    if measured is not None and bin_ is not None:
        right, of = bin_.accuracy.right, bin_.accuracy.of
        # The mean of the posterior whose ends the interval has (Jeffreys): three of three are not 100 in 100.
        share = (right + 0.5) / (of + 1)
        capped = result.confidence_capped and share > SUREST_OF_LATECOMERS
        share = SUREST_OF_LATECOMERS if capped else share
        return CalibratedConfidence(
            basis=Basis.GOLD,
            share=share,
            text=f"By right answers to queries, {_in_100(share)} in 100 such answers are right: {right:,} of {of:,} as "
            f"sure as this {'was' if of == 1 else 'were'}{NO_MORE if capped else ''}. By the estimate, {by_estimate}.",
            right=right,
            of=of,
            lower=bin_.accuracy.lower,
            upper=bin_.accuracy.upper,
            evaluation_id=measured.evaluation_id,
        )
    if result.estimation_id is None or _knows_little(result, votes):
        text = "Too little is known about its sources to say how often such answers are right."
        return CalibratedConfidence(basis=Basis.TOO_LITTLE, share=None, text=text)
    text = f"By the estimate alone, {by_estimate} in 100 such answers are right."
    return CalibratedConfidence(basis=Basis.ESTIMATE, share=None, text=text)


def _measured(measured: MeasuredCalibration, result: AnswerResult, parameters: Json) -> bool:
    asked, compared = (
        AnswerParameters.model_validate(each).model_dump(exclude=_INDIFFERENT)
        for each in (parameters, measured.parameters)
    )
    models = measured.reader == result.reader and (result.debate is None or result.debate.model == measured.chat)
    is_one = result.outcome is Outcome.ANSWERED
    return is_one and models and asked == compared and _same_overrides(measured.overrides, result)


def _same_overrides(overrides: Mapping[UUID, float], result: AnswerResult) -> bool:
    """Whether no operator has set, moved or withdrawn the reliability of a source of the answer since."""
    return all(
        overrides.get(source.source_id) == (source.reliability if source.overridden else None)
        for source in result.selected_sources
    )


def _bin(measured: MeasuredCalibration | None, confidence: float) -> CalibrationBin | None:
    bins = measured.calibration.bins if measured else ()
    return next((bin_ for bin_ in bins if bin_.lower <= confidence < bin_.upper or confidence == bin_.upper == 1), None)


def _knows_little(result: AnswerResult, votes: Mapping[UUID, float]) -> bool:
    """Whether of none that supports the answer more is known than of a source that never voted."""
    widths = [_width(source, votes.get(source.source_id, 0)) for source in result.selected_sources if source.supports]
    return bool(widths) and min(widths) >= PRIOR_INTERVAL[1] - PRIOR_INTERVAL[0]


def _width(source: SelectedSource, votes: float) -> float:
    """The width of a source's 90 % interval, at least that of a source whose known votes are all right."""
    if source.overridden:
        return 0.0
    lower, upper = (float(end ** (1 / (votes + 1))) for end in (0.05, 0.95))
    at_best = upper - lower
    return at_best if source.lower is None or source.upper is None else max(source.upper - source.lower, at_best)


def _in_100(share: float) -> str:
    return "over 99" if share > 0.995 else "under 1" if share < 0.005 else f"{100 * share:.0f}"
