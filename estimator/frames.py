"""Reliabilities from a data frame: votes in, rows out, and no Postgres."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from estimator.converters import NamedVotes, from_arrow, from_records
from estimator.errors import EstimatorError
from estimator.estimation import estimate
from estimator.methods import DEFAULT_METHOD
from estimator.result import Estimate

# The names of the columns here, and those of crowd-kit.
_COLUMNS: Final = {"query": "task", "source": "worker", "answer": "label"}
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class FrameEstimate:
    """An estimate with the ids of the frame; `pandas.DataFrame(result.sources)` makes a frame of it again.

    >>> frame = {"task": ["t", "t", "t"], "worker": ["a", "b", "c"], "label": ["x", "x", "y"]}
    >>> estimate_frame(frame, method="majority").queries
    [{'query': 't', 'answer': 'x', 'confidence': None, 'lead': 0.3333333333333333}]
    """

    named: NamedVotes
    """The votes, and the ids behind their numbers."""
    estimate: Estimate

    @property
    def sources(self) -> list[Row]:
        """A row a source, the most reliable first: `source`, `reliability`, the ends `lower` and `upper` of its 90 %
        interval, `votes`, and `copy_group` (None for one that copies nobody).
        """
        result = self.estimate
        copied = {member: number for number, group in enumerate(result.copies) for member in group.members}
        order = np.argsort(-result.reliability, kind="stable").tolist()
        return [
            {
                "source": self.named.sources[index],
                "reliability": float(result.reliability[index]),
                "lower": float(result.lower[index]),
                "upper": float(result.upper[index]),
                "votes": int(result.vote_count[index]),
                "copy_group": copied.get(index),
            }
            for index in order
        ]

    @property
    def queries(self) -> list[Row]:
        """A row a query, in the order of the frame: `query`, `answer` (None where there is none), its `confidence`
        (None for methods that only count) and its `lead`.
        """
        result, answers = self.estimate, self.named.answers
        rows = zip(self.named.queries, result.answer.tolist(), result.confidence, result.lead, strict=True)
        return [
            {
                "query": query,
                "answer": answers[answer] if answer >= 0 else None,
                "confidence": None if np.isnan(confidence) else float(confidence),
                "lead": float(lead),
            }
            for query, answer, confidence, lead in rows
        ]


def estimate_frame(
    frame: Any,  # noqa: ANN401 - whatever has columns
    method: str = DEFAULT_METHOD,
    *,
    query: str | None = None,
    source: str | None = None,
    answer: str | None = None,
    **options: Any,  # noqa: ANN401 - those of `estimate`
) -> FrameEstimate:
    """Estimate how reliable sources are from a frame with a row a vote: a pandas or polars frame, an Arrow table, or a
    mapping of columns.

    `query`, `source` and `answer` name its columns, by default `query`, `source`, `answer`, or crowd-kit's `task`,
    `worker`, `label`. `method` and `options` are those of `estimate`. An empty answer is an abstention. Raises
    EstimatorError for a missing column, for two votes of a source on a query, and for what `estimate` refuses.

    >>> frame = {"task": ["t", "t", "t"], "worker": ["a", "b", "c"], "label": ["x", "x", "y"]}
    >>> [row["source"] for row in estimate_frame(frame).sources]
    ['a', 'b', 'c']
    """
    given = {"query": query, "source": source, "answer": answer}
    present = _names(frame)
    columns = {name: _column(name, given[name], present) for name in given}
    if hasattr(frame, "__arrow_c_stream__"):
        named = from_arrow(frame, **columns)
    else:
        named = from_records(*(_values(frame[columns[name]]) for name in ("query", "source", "answer")))
    return FrameEstimate(named, estimate(named.votes, method, **options))


def _names(frame: Any) -> Sequence[str]:  # noqa: ANN401
    names = getattr(frame, "column_names", None) or getattr(frame, "columns", None)
    return list(map(str, frame if names is None else names))


def _column(name: str, given: str | None, present: Sequence[str]) -> str:
    for column in (name, _COLUMNS[name]) if given is None else (given,):
        if column in present:
            return column
    wanted = repr(given) if given is not None else f"{name!r} or {_COLUMNS[name]!r}"
    raise EstimatorError(f"there is no column {wanted}; name it with {name}=; the columns are {', '.join(present)}")


def _values(column: Any) -> list[Hashable | None]:  # noqa: ANN401
    """The ids of a column, None for what is missing."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [None if isinstance(value, float) and np.isnan(value) else value for value in values]
