"""The compact reader: a small encoder that copies a span of the passages, or abstains.

It needs no language model and no network, and takes hundredths of a second a passage. Its confidence is the probability
that the answer is right, by a logistic regression fitted to development data (Platt 1999).
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from scipy.special import expit

from answering.compact.extraction import ExtractedSpan, Extraction, Extractor
from answering.compact.model import CompactModel, ModelThreads
from answering.compact.window_model import BertWindowModel
from answering.enums import AbstentionReason
from answering.equivalence import answer_key
from answering.judges import CompactJudge, Judgement, Label
from answering.models import Usage
from answering.questions.answer_type import AnswerType, direct_question, expected_answer_type
from answering.questions.spelling import corrected
from answering.readers.english.answer_fit import fits
from answering.readers.english.answer_form import has_form
from answering.readers.english.field_sentences import RewrittenText, field_sentences
from answering.readers.english.subject_check import SubjectCheck
from answering.readers.english.whole_answer import whole_answer
from answering.readers.reader import Location, ReaderProvider, Reading
from answering.readers.yes_no import can_be_judged, read_yes_no
from answering.text.language import may_be_english

WEIGHTS = Path(__file__).parent.parent / "compact" / "reader"
# To be raised with every change of the replies that is not one of the weights.
REVISION = 93
# So confident an answer ends the reading of a source, whose nearest passage is read first. On the country questions to
# develop on, 18 passages are read for a question of 11 sources and no answer or confidence differs; 0.8 reads 17.7.
SURE = 0.9
# Longer questions and passages are cut, so that hostile input does not take minutes.
MAX_QUESTION_CHARACTERS = 2_000
MAX_PASSAGE_CHARACTERS = 10_000
MAX_CONTEXT_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Candidate:
    """The answer that a window of a passage gives."""

    confidence: float
    answer: str
    location: Location
    misfit: AbstentionReason | None = None
    """Why it cannot be what the question asks for: of another kind, or of another subject."""


class CompactReader:
    """Reads on its own threads, one question a thread; loads its weights at the first reading.

    It abstains below the `threshold` of confidence, by default that of the released weights, and reads on until an
    answer is as good as sure. Of several answers it takes the one with the largest sum of confidences over all windows.
    A question for yes or no is answered by judging its statement with the compact judge. `cache_size` is for how many
    pairs of a question and a passage it keeps what it read, for many sources with the same passages. A reading raises
    `ModelDamaged` if the weights are not the released ones.

    >>> import asyncio
    >>> reader = CompactReader(threads=1)
    >>> reading = asyncio.run(reader.read("Who built the mill?", ["The mill was built by Tora Myhre in 1874."]))
    >>> reading.answer, reading.location
    ('Tora Myhre', Location(passage=0, start=22, end=32))
    """

    def __init__(
        self,
        folder: Path = WEIGHTS,
        *,
        threads: int | None = None,
        threshold: float | None = None,
        cache_size: int = 0,
    ) -> None:
        model = CompactModel.open(folder)
        overrides = {} if threshold is None else {"threshold": threshold}
        self._model = replace(model, settings=model.settings | overrides)
        self._threads = ModelThreads(
            lambda: Extractor(BertWindowModel(self._model), cache_size=cache_size),
            name="compact reader",
            threads=threads,
        )
        self._judge = CompactJudge(threads=threads)
        self.name = f"compact:{self._model.name}:{REVISION}"
        self.prompt_hash = hashlib.sha256(f"{self._model.fingerprint} {self._judge.name}".encode()).hexdigest()

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        question = direct_question(question[:MAX_QUESTION_CHARACTERS])
        texts = [passage[:MAX_PASSAGE_CHARACTERS] for passage in passages]
        above = [f"{context[:MAX_CONTEXT_CHARACTERS]}\n" if context else "" for context in contexts]
        above = above or [""] * len(texts)
        if expected_answer_type(question) is AnswerType.YES_NO:
            return await self._read_yes_no(question, texts, above)
        return await self._threads.run(self._read, question, texts, above)

    async def aclose(self) -> None:
        self._threads.close()
        await self._judge.aclose()

    async def _read_yes_no(self, question: str, texts: Sequence[str], contexts: Sequence[str]) -> Reading:
        if not can_be_judged(question):
            return Reading.abstention(Usage(), 0.0, AbstentionReason.NOT_JUDGED)
        subject = SubjectCheck(question, texts, contexts)
        speaking = subject.speaking
        if texts and not speaking:
            reason = AbstentionReason.UNDECIDED if subject.is_mentioned else AbstentionReason.OTHER_SUBJECT
            return Reading.abstention(Usage(), 0.0, reason)

        def may_say(place: int, judgement: Judgement) -> bool:
            index, quote = speaking[place], judgement.quote
            if judgement.label is Label.CONTRADICTS:
                return subject.may_deny(index)
            return subject.may_affirm(index, quote.text if quote else "")

        reading = await read_yes_no(self._judge, question, [texts[index] for index in speaking], may_say)
        if reading.location is None:
            return reading
        return replace(reading, location=replace(reading.location, passage=speaking[reading.location.passage]))

    def _read(self, extractor: Extractor, question: str, texts: Sequence[str], contexts: Sequence[str]) -> Reading:
        started = time.perf_counter()
        question = corrected(question, [*contexts, *texts], self._is_frequent)
        expected = expected_answer_type(question)
        subject = SubjectCheck(question, texts, contexts)
        speaking = subject.speaking
        candidates: list[Candidate] = []
        for index in speaking:
            extraction = _extracted(
                extractor, question, texts[index], contexts[index], within_sentences=expected in _WITHIN_SENTENCES
            )
            candidates += self._candidates(question, expected, texts[index], extraction, subject, index)
            if any(not candidate.misfit and candidate.confidence >= SURE for candidate in candidates):
                break
        # Its tokens are none of a language model, and no budget or bill is about them.
        usage = Usage(milliseconds=(time.perf_counter() - started) * 1000)
        threshold = self._model.settings["threshold"]
        confident = [candidate for candidate in candidates if candidate.confidence >= threshold]
        best = most_said(question, [candidate for candidate in confident if not candidate.misfit])
        if best is None:
            confidence = max((candidate.confidence for candidate in candidates if not candidate.misfit), default=0.0)
            silent = bool(texts) and not speaking
            reason = AbstentionReason.OTHER_SUBJECT if silent else _why_none(expected, confident)
            return Reading.abstention(usage, confidence, reason)
        return Reading(best.answer, best.answer, best.confidence, usage, best.location)

    def _is_frequent(self, word: str) -> bool:
        """Whether a word in lower case is frequent enough to be a token of its own."""
        return self._model.tokenizer().token_to_id(word) is not None

    def _candidates(
        self,
        question: str,
        expected: AnswerType,
        text: str,
        extraction: Extraction,
        subject: SubjectCheck,
        index: int,
    ) -> Iterator[Candidate]:
        """The best span of every window of a passage: of the asked kind, on its subject; else the best of all."""
        for spans in extraction.windows:
            of_kind = (span for span in spans if fits(expected, question, text, span.start, span.end))
            first = next(of_kind, None)
            fitting = chain([first], of_kind) if first else ()
            span = next((span for span in fitting if subject.allows(index, span.start, span.end)), None)
            chosen = span or spans[0]
            answer = whole_answer(question, expected, text, chosen.start, chosen.end)
            # That the window has an answer is as sure as of the best span where only the label of that was another.
            sure = spans[0] if span is not None and subject.is_mislabelled(index, spans[0].start) else chosen
            misfit = None
            if first is None or not has_form(question, text, answer.start, answer.end):
                misfit = AbstentionReason.OTHER_KIND
            elif span is None:
                misfit = AbstentionReason.OTHER_SUBJECT
            location = Location(index, answer.start, answer.end)
            yield Candidate(self._confidence(sure), answer.text, location, misfit)

    def _confidence(self, span: ExtractedSpan) -> float:
        settings = self._model.settings
        logit = settings["bias"] + settings["margin"] * span.margin + settings["answerable"] * span.answerable
        return float(expit(logit))


def _extracted(extractor: Extractor, question: str, text: str, context: str, *, within_sentences: bool) -> Extraction:
    """The spans of a text, of which lines of fact sheets are read as sentences."""
    rewritten = field_sentences(text)
    if rewritten is None:
        return extractor.extract(question, text, context, within_sentences=within_sentences)
    extraction = extractor.extract(question, rewritten.text, context, within_sentences=within_sentences)
    windows = (tuple(_in_text(span, rewritten) for span in spans) for spans in extraction.windows)
    return Extraction(tuple(windows))


def _in_text(span: ExtractedSpan, rewritten: RewrittenText) -> ExtractedSpan:
    start, end = rewritten.original(span.start, span.end)
    return replace(span, start=start, end=end)


def most_said(question: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """The most confident candidate of the answer class with the largest sum of confidences; of equals the first."""
    classes: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        classes[answer_key(candidate.answer, question=question)].append(candidate)
    largest = max(classes.values(), key=lambda members: sum(member.confidence for member in members), default=[])
    return max(largest, key=lambda candidate: candidate.confidence, default=None)


def _why_none(expected: AnswerType, confident: Sequence[Candidate]) -> AbstentionReason:
    if confident:
        surest = max(confident, key=lambda candidate: candidate.confidence)
        return surest.misfit or AbstentionReason.NO_ANSWER
    return AbstentionReason.NO_EXPLANATION if expected in _EXPLANATIONS else AbstentionReason.NO_ANSWER


_EXPLANATIONS = frozenset({AnswerType.REASON, AnswerType.MANNER})
# Of 24,515 right answers of these types 23 go on behind a sentence, and four behind a semicolon.
_WITHIN_SENTENCES = frozenset(AnswerType) - _EXPLANATIONS - {AnswerType.THING, AnswerType.YES_NO}

COMPACT = ReaderProvider(
    name="compact",
    summary="a small model that ships with Credence; it copies spans of English passages",
    make=lambda _settings: CompactReader(),
    knows=may_be_english,
)
