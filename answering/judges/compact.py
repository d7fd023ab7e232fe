"""The compact judge, a small encoder on this machine, and the calibration of its logits to probabilities."""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from answering.compact.model import CompactModel, ModelThreads
from answering.compact.window_model import BertWindowModel, Tokens, WindowModel
from answering.compact.windows import Window, best_span, windows
from answering.judges.judge import Judgement, JudgeProvider, Label, Pair
from answering.judges.quotes import sentence_at
from answering.judges.stance_markers import StanceMarkers, find_markers, find_markers_before
from answering.models import Usage
from answering.questions.asking_sentences import asks, without_questions
from answering.text import squad_normalise


@dataclass(frozen=True, slots=True)
class Calibration:
    """`softmax(logits / temperature + bias)` (Guo et al. 2017, arXiv:1706.04599), and a shift by a look at the text.

    The biases correct for labels that are more frequent in training.
    """

    temperature: float = 1.0
    supports: float = 0.0
    contradicts: float = 0.0
    """The biases; that of irrelevant is 0."""
    stands: float = 0.0
    """Added to the logit of supports where the answer of the claim occurs in the passage, word for word."""
    absent: float = 0.0
    """Subtracted from it where the answer does not occur."""

    @classmethod
    def of(cls, settings: Mapping[str, float]) -> "Calibration":
        """The values among the settings of a model, chosen by `benchmarks.training.judge.release`."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in settings.items() if name in names})

    def probabilities(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """Logits of shape (n, 3) to probabilities of the same shape, every row summing to 1."""
        biases = np.array([self.supports, self.contradicts, 0.0])
        return np.asarray(softmax(logits.astype(np.float64) / self.temperature + biases, axis=1))

    def with_occurrence(self, probabilities: NDArray[np.float64], occurs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities (n, 3), shifted by whether the answer occurs in the passage: 1, 0, or NaN without an answer."""
        shift = np.zeros_like(probabilities)
        shift[:, 0] = np.where(np.isnan(occurs), 0.0, np.where(occurs == 1, self.stands, -self.absent))
        return np.asarray(softmax(np.log(probabilities + 1e-12) + shift, axis=1))


def answer_occurs(claim: str, passage: str) -> bool | None:
    """Whether the answer in a claim by `claim_of` occurs in the passage, word for word; None for other claims."""
    _, mark, answer = claim.partition("? ")
    words = squad_normalise(answer)
    if not mark or not words:
        return None
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(passage)) is not None


WEIGHTS = Path(__file__).parent / "weights"
LABELS = (Label.SUPPORTS, Label.CONTRADICTS, Label.IRRELEVANT)
"""Labels in the order of the model's outputs; of equals the first wins, so that partial support is support."""
CLAIM_TOKENS = 112
# Of the probability of support so much goes to the stance of the markers: two of three articles of FNC-1's development
# half that the model takes for support and that have refuting words disagree; for reports 0.85 has the smallest Brier
# score there.
MARKED_SHARES = {Label.CONTRADICTS: 2 / 3, Label.REPORTS: 0.85}
_IRRELEVANT = np.array([0.0, 0.0, 1.0])
# To be raised with every change of the judgements that is not one of the weights.
REVISION = 7
# Longer claims and passages are cut, so that hostile input does not take minutes.
MAX_CLAIM_CHARACTERS = 4_000
MAX_PASSAGE_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class _WindowJudgement:
    """The probabilities of the labels by one window, and the characters of the passage that they rest on."""

    probabilities: NDArray[np.float64]
    span: tuple[int, int]


class CompactJudge:
    """Judges on its own threads, one pair a thread; loads its weights at the first pair.

    A long passage is judged window by window: the strongest support and the strongest contradiction count, and it is
    irrelevant only where every window is. What the model takes for support contradicts or reports where markers say so
    (`stance_markers`): of the answer to a question those before it, of a statement those of the whole passage.
    `judge_all` raises `ModelDamaged` if the weights are not the released ones.

    >>> import asyncio
    >>> from answering.judges import claim_of
    >>> pair = Pair(claim_of("Who built the mill?", "Ivar Brask"), "Tora Myhre built the mill in 1874.")
    >>> asyncio.run(CompactJudge(threads=1).judge_all([pair]))[0].label.value
    'contradicts'
    """

    def __init__(self, folder: Path = WEIGHTS, *, threads: int | None = None) -> None:
        pack = CompactModel.open(folder)
        calibration = Calibration.of(pack.settings)
        self._threads: ModelThreads[WindowJudge] = ModelThreads(
            lambda: WindowJudge(BertWindowModel(pack), calibration, reads_markers=True),
            name="compact judge",
            threads=threads,
        )
        self.name = f"compact:{pack.name}:{pack.fingerprint[:12]}:{REVISION}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return list(await asyncio.gather(*(self._threads.run(WindowJudge.judge, pair) for pair in pairs)))

    async def aclose(self) -> None:
        self._threads.close()


@dataclass(frozen=True, slots=True)
class WindowJudge:
    """A loaded model, which judges a passage window by window."""

    model: WindowModel
    calibration: Calibration
    reads_markers: bool
    """Whether the words count that mark a stance or a question, which are English."""

    def judge(self, pair: Pair) -> Judgement:
        """Of a passage without what it asks, if the judgement rests on that."""
        claim, passage = pair.claim[:MAX_CLAIM_CHARACTERS], pair.passage[:MAX_PASSAGE_CHARACTERS]
        judgement = self._judge(claim, passage)
        if not self.reads_markers or judgement.quote is None or not asks(judgement.quote.text):
            return judgement
        without = self._judge(claim, without_questions(passage))
        return replace(without, usage=judgement.usage + without.usage)

    def _judge(self, claim: str, passage: str) -> Judgement:
        started = time.perf_counter()
        asked, tokens, above = self.model.tokens(claim, passage)
        parts = windows(
            asked,
            tokens.ids,
            context=above,
            max_tokens=self.model.window_tokens,
            question_tokens=CLAIM_TOKENS,
            marks=self.model.marks,
        )
        judged = [self._judge_window(window, tokens) for window in parts]
        probabilities = combined(np.array([window.probabilities for window in judged]))
        occurs = answer_occurs(claim, passage)
        occurrence = np.array([np.nan if occurs is None else float(occurs)])
        probabilities = self.calibration.with_occurrence(probabilities[None, :], occurrence)[0]
        usage = Usage(milliseconds=(time.perf_counter() - started) * 1000)
        may_be_marked = self.reads_markers and probabilities.argmax() == 0
        markers = _markers(claim, passage, judged, occurs=occurs) if may_be_marked else None
        return _judgement(judged, probabilities, markers, passage, usage)

    def _judge_window(self, window: Window, passage: Tokens) -> _WindowJudgement:
        """An empty passage is irrelevant, whatever the model makes of the claim alone."""
        if not passage.offsets:
            return _WindowJudgement(_IRRELEVANT, (0, 0))
        logits, starts, ends = self.model.outputs(window)
        best = best_span(starts[0], ends[0], window)
        span = (passage.offsets[best.first][0], passage.offsets[best.last][1])
        return _WindowJudgement(self.calibration.probabilities(logits)[0], span)


def combined(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(windows, 3) to (3,): the highest support and contradiction, the lowest irrelevance, normalised to sum 1."""
    strongest = np.append(probabilities[:, :2].max(axis=0), probabilities[:, 2].min())
    return np.asarray(strongest / strongest.sum())


def _markers(
    claim: str, passage: str, windows: Sequence[_WindowJudgement], *, occurs: bool | None
) -> StanceMarkers | None:
    if occurs is None:
        return find_markers(claim, passage)
    return find_markers_before(claim, passage, _clearest(windows, 0).span[0]) if occurs else None


def _judgement(
    windows: Sequence[_WindowJudgement],
    probabilities: NDArray[np.float64],
    markers: StanceMarkers | None,
    passage: str,
    usage: Usage,
) -> Judgement:
    by_label = dict.fromkeys(Label, 0.0) | dict(zip(LABELS, probabilities.tolist(), strict=True))
    start, end = _clearest(windows, int(probabilities.argmax())).span
    if markers is not None:
        start, end = markers.start, markers.end
        moved = MARKED_SHARES[markers.label] * by_label[Label.SUPPORTS]
        by_label[markers.label] += moved
        by_label[Label.SUPPORTS] -= moved
    label = max(by_label, key=lambda label: by_label[label])
    quote = sentence_at(passage, start, end) if label is not Label.IRRELEVANT and start < end else None
    supports, contradicts, reports, irrelevant = by_label.values()
    return Judgement(label, supports, contradicts, reports, irrelevant, quote, usage=usage)


def _clearest(windows: Sequence[_WindowJudgement], place: int) -> _WindowJudgement:
    """The window in which the label at this place is most probable."""
    return max(windows, key=lambda window: float(window.probabilities[place]))


COMPACT = JudgeProvider(
    name="compact",
    summary="a small model for English that ships with Credence",
    make=lambda _require_chat: CompactJudge(),
)
