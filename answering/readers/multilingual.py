"""A reader of many languages: English by the compact reader, others by a pack over multilingual-e5-small."""

import hashlib
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scipy.special import expit

from answering.compact.extraction import Extraction, Extractor
from answering.compact.model import CompactModel, ModelThreads
from answering.e5.encoder import require_packages
from answering.e5.window_model import E5WindowModel
from answering.enums import AbstentionReason
from answering.equivalence.function_words import without_function_words
from answering.models import Usage
from answering.readers.compact import (
    MAX_CONTEXT_CHARACTERS,
    MAX_PASSAGE_CHARACTERS,
    MAX_QUESTION_CHARACTERS,
    Candidate,
    CompactReader,
    most_said,
)
from answering.readers.reader import Location, ReaderProvider, Reading
from answering.readers.subject_mention import may_speak_of
from answering.text.language import may_be_english

PACK = Path(__file__).parent.parent / "e5" / "reader"
# To be raised with every change of the replies that is not one of the weights.
REVISION = 7

# Punctuation that English does not have, and what follows a bracket that is not closed.
_END = re.compile(r"(?:\s*[،؛؟۔。、，]|(?<=\S)\s*[(（][^)）]*)+$")  # noqa: RUF001


class MultilingualReader:
    """Copies a span of the passages, or abstains below the `threshold` of confidence, by default that of the pack.

    Questions that may be English go to the compact reader, whose rules know the language; here only names and years are
    looked for (`subject_mention`). Passages may be in another language than the question.

    Raises `ModelRefused` without the extra `languages`.
    """

    def __init__(self, folder: Path = PACK, *, threads: int | None = None, threshold: float | None = None) -> None:
        require_packages()
        pack = CompactModel.open(folder)
        self._settings = pack.settings | ({} if threshold is None else {"threshold": threshold})
        self._english = CompactReader(threads=threads)
        self._threads = ModelThreads(
            lambda: Extractor(E5WindowModel(pack)), name="multilingual reader", threads=threads
        )
        self.name = f"multilingual:{pack.name}:{REVISION}:{self._english.name}"
        identity = f"{pack.fingerprint} {sorted(self._settings.items())} {self._english.prompt_hash}"
        self.prompt_hash = hashlib.sha256(identity.encode()).hexdigest()

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        question = question[:MAX_QUESTION_CHARACTERS]
        if may_be_english(question):
            return await self._english.read(question, passages, contexts)
        texts = [passage[:MAX_PASSAGE_CHARACTERS] for passage in passages]
        above = [context[:MAX_CONTEXT_CHARACTERS] for context in contexts] or [""] * len(texts)
        return await self._threads.run(self._read, question, texts, above)

    async def aclose(self) -> None:
        self._threads.close()
        await self._english.aclose()

    def _read(self, extractor: Extractor, question: str, texts: Sequence[str], contexts: Sequence[str]) -> Reading:
        started = time.perf_counter()
        speaking = [
            index
            for index, (text, context) in enumerate(zip(texts, contexts, strict=True))
            if may_speak_of(question, f"{context} {text}")
        ]
        candidates = [
            candidate
            for index in speaking
            for candidate in self._candidates(
                question, texts[index], extractor.extract(question, texts[index], contexts[index]), index
            )
        ]
        usage = Usage(milliseconds=(time.perf_counter() - started) * 1000)
        threshold = self._settings["threshold"]
        best = most_said(question, [candidate for candidate in candidates if candidate.confidence >= threshold])
        if best is None:
            reason = AbstentionReason.OTHER_SUBJECT if texts and not speaking else AbstentionReason.NO_ANSWER
            confidence = max((candidate.confidence for candidate in candidates), default=0.0)
            return Reading.abstention(usage, confidence, reason)
        return Reading(best.answer, best.answer, best.confidence, usage, best.location)

    def _candidates(self, question: str, text: str, extraction: Extraction, index: int) -> Iterator[Candidate]:
        """The best span of every window of a passage."""
        settings = self._settings
        for span, *_ in extraction.windows:
            logit = settings["bias"] + settings["margin"] * span.margin + settings["answerable"] * span.answerable
            answer = trimmed(text[span.start : span.end], question)
            start = text.index(answer, span.start)
            location = Location(index, start, start + len(answer))
            yield Candidate(float(expit(logit)), answer, location)


def trimmed(span: str, question: str) -> str:
    """The part of a span that answers: without function words around it, punctuation, and an open bracket behind it.

    >>> trimmed("シル川(サイフーン川", "東西領域は、アム川からどの川までであったのか?")
    'シル川'
    """
    return without_function_words(_END.sub("", span), question)


MULTILINGUAL = ReaderProvider(
    name="multilingual",
    summary="compact for English, and a small model for thirteen other languages (extra `languages`)",
    make=lambda _settings: MultilingualReader(),
)
