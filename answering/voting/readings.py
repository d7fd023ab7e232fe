"""The reading of one source for one question, with its passages."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from answering.enums import AbstentionReason, ClassPolicy, ReadingStatus
from answering.equivalence import united_keys
from answering.errors import BadParameter, ModelError
from answering.models.usage import Usage
from answering.passages import RetrievedPassage
from answering.readers.reader import Location
from answering.text.sentences import line_at

Key = TypeVar("Key", bound=Hashable)

WORDS_AROUND = 5


@dataclass(frozen=True, slots=True)
class SourceReading:
    """A reading of one source's passages, aligned and classified.

    Raises `BadParameter` unless exactly the readings that answered have an answer class.

    >>> SourceReading(ReadingStatus.ANSWERED, "text:oslo", "Oslo").answer_key
    'text:oslo'
    """

    status: ReadingStatus
    answer_key: str | None = None
    """Key of its answer class (`answering.equivalence`); None if there is no vote."""
    answer: str | None = None
    """The reader's words, also where they are misaligned and do not vote."""
    passages: tuple[RetrievedPassage, ...] = ()
    """Best first."""
    location: Location | None = None
    """Place of the answer in the passages, if the reader gives it."""
    confidence: float | None = None
    """The reader's, in [0, 1], if it gives one."""
    alignment: float | None = None
    """ROUGE-1 precision of the answer against the passages; None if nothing was read."""
    usage: Usage = field(default_factory=Usage)
    cached: bool = False
    """Whether the reading was made earlier and costs nothing now."""
    error: ModelError | None = None
    reason: AbstentionReason | None = None
    """Reason to abstain, if the reader gives it."""
    stated: bool = False
    """Whether the answer came as data, in a document or as an imported vote, so that nothing was read."""
    imported: bool = False
    """Whether it is an imported vote, which has no passages."""
    voted_at: datetime | None = None
    """Time of an imported vote, if known."""

    def __post_init__(self) -> None:
        answered = self.status is ReadingStatus.ANSWERED
        if answered != (self.answer_key is not None) or (answered and self.answer is None):
            raise BadParameter(f"a reading has an answer class if and only if it answered, not: {self}")

    @property
    def relevance(self) -> float:
        """That of the most relevant passage to the question, in [0, 1]."""
        return max((passage.relevance for passage in self.passages), default=0.0)

    @property
    def published_at(self) -> datetime | None:
        """When the source first published the answer: the earliest date among the passages that contain it, else that
        of the passage in which the reader found it. Of an imported vote when it was cast.
        """
        if self.imported:
            return self.voted_at
        return min((date for passage in self._stating if (date := passage.published_at) is not None), default=None)

    @property
    def last_published_at(self) -> datetime | None:
        """The latest of those dates, when the source still said so; None if a passage has none."""
        if self.imported:
            return self.voted_at
        dates = [passage.published_at for passage in self._stating]
        return max((date for date in dates if date is not None), default=None) if None not in dates else None

    @property
    def stored_at(self) -> datetime | None:
        """When the answer first came into the corpus, among the same passages."""
        return min((date for passage in self._stating if (date := passage.stored_at) is not None), default=None)

    @property
    def read_from(self) -> RetrievedPassage | None:
        """The passage in which the reader found the answer, else the first one that contains it, else the best."""
        if self.location is not None:
            return self.passages[self.location.passage]
        return next(iter(self._stating or self.passages), None)

    @property
    def around(self) -> str:
        """A few words before and after its answer in their line, by which the reader found it; none without a place."""
        if self.location is None:
            return ""
        text, start, end = self.passages[self.location.passage].content, self.location.start, self.location.end
        first, last = line_at(text, start)[0], line_at(text, end)[1]
        return " ".join((*text[first:start].split()[-WORDS_AROUND:], *text[end:last].split()[:WORDS_AROUND]))

    @property
    def _stating(self) -> list[RetrievedPassage]:
        if self.stated:
            # Its one passage is of the document that states the value, perhaps in other words.
            return list(self.passages)
        answer = (self.answer or "").casefold()
        stating = [passage for passage in self.passages if answer in passage.content.casefold()]
        if self.location is not None and not stating:
            return [self.passages[self.location.passage]]
        return stating

    @property
    def document_ids(self) -> tuple[str, ...]:
        """Distinct documents of the passages, in their order."""
        return tuple(dict.fromkeys(str(passage.document_id) for passage in self.passages))


def class_keys(
    readings: Mapping[Key, SourceReading], policy: ClassPolicy, question: str | None = None
) -> dict[Key, str]:
    """The answer class of every reading of a question that answered; under some policies it depends on all the answers.

    >>> class_keys({"herald": SourceReading(ReadingStatus.ANSWERED, "text:oslo", "Oslo")}, ClassPolicy.VALUES)
    {'herald': 'text:oslo'}
    """
    answered = {key: reading for key, reading in readings.items() if reading.answer_key is not None}
    answers = [reading.answer or "" for reading in answered.values()]
    keys = [reading.answer_key or "" for reading in answered.values()]
    return dict(zip(answered, united_keys(answers, keys, policy, question), strict=True))
