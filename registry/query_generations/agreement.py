"""Whether a fact of a document makes a query: several sources speak of it in words of their own, and two agree.

A question that was badly made seldom passes: the reader must find the fact in its own document, and answers of the
same kind in others.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.embedders.embedder import Vectors
from answering.judges.quotes import sentence_at
from answering.questions.writing import FactKind, answers_kind
from answering.text import tokenize
from answering.voting import ReadingStatus, SourceReading
from registry.documents.extraction import NEAR_DUPLICATE, signature


class Finding(StrEnum):
    """The outcome of a fact; those that become no query carry the names of the report's counts."""

    DISPUTED = "disputed"
    """Sources answer the query differently."""
    AGREED = "agreed"
    """All that answer it answer alike."""
    MISREAD = "misread"
    UNANSWERED = "unanswered"
    COPIED = "copied"
    CONTESTED = "contested"
    UNCLEAR = "unclear"

    @property
    def is_query(self) -> bool:
        return self in {Finding.DISPUTED, Finding.AGREED}


@dataclass(frozen=True, slots=True)
class Statement:
    """A source's answer to a fact: the class of the answer, and texts by which copies are told."""

    answer_key: str
    answer: str
    texts: tuple[str, ...]


def statements(kind: FactKind, readings: Iterable[SourceReading]) -> Iterator[Statement]:
    for reading in readings:
        if reading.status is not ReadingStatus.ANSWERED or reading.answer is None or reading.answer_key is None:
            continue
        if answers_kind(reading.answer, kind):
            yield Statement(reading.answer_key, reading.answer, _texts(reading))


def finding(own: Statement | None, fact_key: str, others: Sequence[Statement], min_sources: int) -> Finding:
    """The outcome of a fact whose answer class is `fact_key`, from its own document and other sources."""
    if own is None or own.answer_key != fact_key:
        return Finding.MISREAD
    if len(others) < min_sources:
        return Finding.UNANSWERED
    independent = _independent([own, *others])
    if len(independent) <= min_sources:
        return Finding.COPIED
    if max(Counter(statement.answer_key for statement in independent).values()) < 2:
        return Finding.CONTESTED
    return Finding.AGREED if all(other.answer_key == fact_key for other in others) else Finding.DISPUTED


def answers_said(said: Sequence[Statement]) -> list[str]:
    """The different answers, each in the words of the first one that gives it; those of most statements first."""
    counts = Counter(statement.answer_key for statement in said)
    words = {statement.answer_key: statement.answer for statement in reversed(said)}
    return [words[key] for key, _ in counts.most_common()]


def _texts(reading: SourceReading) -> tuple[str, ...]:
    passage, location = reading.read_from, reading.location
    if passage is None:
        return ()
    if location is None:
        return (passage.content,)
    return passage.content, sentence_at(passage.content, location.start, location.end).text


def _independent(said: Sequence[Statement]) -> list[Statement]:
    """The statements without those in the words of an earlier one."""
    kept: list[tuple[Statement, list[bytes], set[str]]] = []
    for statement in said:
        signatures = [places for text in statement.texts if (places := signature(text)) is not None]
        # A text that is too short for a signature is a copy only if it is the same as a whole: sentences often are.
        whole = {" ".join(tokenize(text)) for text in statement.texts[:1] if signature(text) is None}
        if not any(
            whole & earlier_whole or any(_near_equal(first, second) for first in earlier for second in signatures)
            for _, earlier, earlier_whole in kept
        ):
            kept.append((statement, signatures, whole))
    return [statement for statement, _, _ in kept]


def _near_equal(first: bytes, second: bytes) -> bool:
    return float((np.frombuffer(first, "<u4") == np.frombuffer(second, "<u4")).mean()) >= NEAR_DUPLICATE


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Preferences:
    """The state of the sources of a corpus in a run."""

    widths: Mapping[UUID, float]
    """Widths of the intervals of sources with votes; that of any other is 1."""
    contradictions: Mapping[frozenset[UUID], float] = field(default_factory=dict)
    """Share of shared queries that two sources answer differently, in [0, 1]; 0 if unknown."""

    def order(self, near: Sequence[Mapping[UUID, float]], vectors: Vectors, centre: Vectors | None) -> list[int]:
        """Positions of facts, those first that are worth most.

        `near` are the sources with passages near each fact's question with their relevance in [0, 1], `vectors` (n, d)
        the embeddings of the questions, `centre` (d,) is the mean of those of the queries that the corpus has.
        """
        wide = np.array([self._width(sources) for sources in near])
        disputed = np.array([self._contradiction(sources) for sources in near])
        # The mean cosine to the queries: low where few are on the topic.
        thin = np.zeros(len(near)) if centre is None else -np.asarray(vectors @ centre, dtype=np.float64)
        added = _ranks(wide) + _ranks(disputed) + 2 * _ranks(thin)
        return list(map(int, np.argsort(added, kind="stable")))

    def _width(self, sources: Mapping[UUID, float]) -> float:
        return sum(relevance * self.widths.get(source_id, 1.0) for source_id, relevance in sources.items())

    def _contradiction(self, sources: Mapping[UUID, float]) -> float:
        return sum(
            self.contradictions.get(frozenset(pair), 0.0) * sources[pair[0]] * sources[pair[1]]
            for pair in combinations(sources, 2)
        )


def _ranks(values: Floats) -> NDArray[np.int64]:
    """Places from the largest value on; equal values share the first of theirs."""
    return np.searchsorted(np.sort(-values), -values).astype(np.int64)
