"""The queries of a corpus by their meaning, so that none is added that another one asks for already."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from answering.embedders.embedder import Embedder, Vectors
from answering.equivalence import answer_key
from answering.questions.names import written_names
from answering.text import tokenize

# Cosine of two questions from which they are one: if both are answered alike, and if one's answer is not known or is
# among those that sources give to the other. Of pairs on the demo corpus those of one meaning lie between 0.75 and
# 0.96. Others reach 0.86, and who owns, built or designed one mill 0.97, but their answers differ.
SAME_IF_ANSWERED_ALIKE: Final = 0.7
SAME: Final = 0.9


class KnownQueries:
    """Questions with their embeddings and, where known, the classes of their answers."""

    def __init__(self, dimension: int) -> None:
        self._texts: set[str] = set()
        # Rows beyond the known ones are for the next: to copy all for each would take the square of the time.
        self._rows: Vectors = np.zeros((16, dimension), dtype=np.float32)
        self._answers: list[str | None] = []
        self._names: list[frozenset[str]] = []

    @classmethod
    async def of(cls, embedder: Embedder, questions: Sequence[tuple[str, str | None]]) -> "KnownQueries":
        """The known queries of these questions, each with its answer or None."""
        known = cls(embedder.dimension)
        if questions:
            vectors = await embedder.embed([question for question, _ in questions])
            for (question, answer), vector in zip(questions, vectors, strict=True):
                known.add(question, vector, answer)
        return known

    @property
    def centre(self) -> Vectors | None:
        """(d,) mean of the embeddings; None without a question."""
        return self._vectors.mean(axis=0) if self._names else None

    @property
    def _vectors(self) -> Vectors:
        return self._rows[: len(self._names)]

    def add(self, question: str, vector: NDArray[np.float32], answer: str | None) -> None:
        self._texts.add(_folded(question))
        if len(self._names) == len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
        self._rows[len(self._names)] = vector
        self._names.append(_names(question))
        self._answers.append(None if answer is None else answer_key(answer, question=question))

    def has_text(self, question: str) -> bool:
        """Whether a question has the same words."""
        return _folded(question) in self._texts

    def has(self, question: str, vector: NDArray[np.float32], answers: Sequence[str]) -> bool:
        """Whether a question means the same, given what sources answer to it: the answer of most of them first."""
        if self.has_text(question):
            return True
        keys = [answer_key(answer, question=question) for answer in answers]
        cosines = self._vectors @ vector
        near = np.flatnonzero(cosines >= SAME_IF_ANSWERED_ALIKE).tolist()
        names = _names(question)
        # Questions on two mills that were built in one year have one wording and one answer, but not one name.
        same_names = [index for index in near if names <= self._names[index] or names >= self._names[index]]
        return any(
            self._answers[index] in keys[:1] or (cosines[index] >= SAME and self._may_answer(index, keys))
            for index in same_names
        )

    def _may_answer(self, index: int, keys: Sequence[str]) -> bool:
        """Whether the answer of a known question is among these; also where either is unknown.

        Where sources disagree, two wordings of one question may reach other sources, and so differ in what most say.
        """
        return not keys or self._answers[index] is None or self._answers[index] in keys


def _names(question: str) -> frozenset[str]:
    return frozenset(word for name in written_names(question) for word in name.words)


def _folded(question: str) -> str:
    return " ".join(tokenize(question))
