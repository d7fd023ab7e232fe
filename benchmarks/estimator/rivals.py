"""Methods of crowd-kit, all on the same (V,) arrays of votes."""

import multiprocessing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Report
from estimator import VoteMatrix

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Output = tuple[Mapping[int, int], Mapping[int, float]]
"""Labels by query and skills by source; no skills from a method that has no reliabilities."""
Rival = Callable[[Integers, Integers, Integers], Output]


@dataclass(frozen=True, slots=True)
class MethodOutput:
    """(M,) answers, and (N,) reliabilities with their intervals, NaN where a method has none."""

    answer: Integers
    reliability: Floats
    lower: Floats
    upper: Floats


MethodUnderTest = Callable[[VoteMatrix], MethodOutput]


def rival_present(report: Report) -> bool:
    """Whether crowd-kit is installed; recorded in the report if not."""
    if find_spec("crowdkit") is not None:
        return True
    report.rival_skipped("crowd-kit", "not installed: pip install crowd-kit")
    return False


def wawa(query: Integers, source: Integers, answer: Integers, *, weighted: bool = True) -> Output:
    """Wawa; with `weighted` off the majority with Wawa's skills.

    These are the two steps of `Wawa.fit_predict`, which itself stops at a check that scikit-learn 1.9 changed.
    """
    from crowdkit.aggregation import MajorityVote, Wawa  # noqa: PLC0415 - crowd-kit need not be installed

    table = _frame(query, source, answer)
    skills: Any = Wawa().fit(table).skills_
    labels: Any = MajorityVote().fit(table, skills=skills if weighted else None).labels_
    return labels.to_dict(), skills.to_dict()


def crowd_kit(name: str, **settings: object) -> Rival:
    """A method of crowd-kit with its own defaults but for these settings.

    Only OneCoinDawidSkene has one reliability a source. M-MSR falls back to the majority where it fails: its weights
    become NaN where few sources share queries.
    """

    def aggregate(query: Integers, source: Integers, answer: Integers) -> Output:
        from crowdkit import aggregation  # noqa: PLC0415 - crowd-kit need not be installed

        table = _frame(query, source, answer)
        method: Any = getattr(aggregation, name)(**settings)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                labels: Any = method.fit_predict(table)
            except ValueError:
                if name != "MMSR":
                    raise
                labels = aggregation.MajorityVote().fit_predict(table)
        return labels.to_dict(), method.skills_.to_dict() if name == "OneCoinDawidSkene" else {}

    return aggregate


def _frame(query: Integers, source: Integers, answer: Integers) -> Any:  # noqa: ANN401 - pandas ships no types
    """The table that crowd-kit reads."""
    import pandas as pd  # noqa: PLC0415 - it comes with crowd-kit

    return pd.DataFrame({"task": query, "worker": source, "label": answer})


RIVALS: dict[str, Rival] = {
    "crowd-kit Wawa": wawa,
    "crowd-kit OneCoin": crowd_kit("OneCoinDawidSkene"),
    "crowd-kit DawidSkene": crowd_kit("DawidSkene"),
    "crowd-kit M-MSR": crowd_kit("MMSR", random_state=0),
}
# GLAD with 20 of its 100 rounds, which take minutes.
SLOW_RIVALS: dict[str, Rival] = {
    "crowd-kit GLAD": crowd_kit("GLAD", n_iter=20),
    "crowd-kit MACE": crowd_kit("MACE", random_state=0),
}


def under_test(rival: Rival) -> MethodUnderTest:
    """A method of crowd-kit with the signature of ours."""

    def method(votes: VoteMatrix) -> MethodOutput:
        labels, skills = rival(*votes.triples())
        unknown = np.full(votes.source_count, np.nan)
        reliability = _by_index(skills, votes.source_count, np.nan)
        return MethodOutput(_by_index(labels, votes.query_count, -1).astype(np.int64), reliability, unknown, unknown)

    return method


def with_answers_by_place(rival: Rival, votes: VoteMatrix) -> Integers:
    """(M,) the answers of a rival whose time and memory grow with the number of different labels: answers are numbered
    anew for each query.
    """
    query, source, _ = votes.triples()
    first = np.searchsorted(votes.class_query, np.arange(votes.query_count))
    labels, _ = rival(query, source, votes.vote_class - first[query])
    answer = np.full(votes.query_count, -1)
    tasks = np.fromiter(labels.keys(), np.int64)
    answer[tasks] = votes.class_answer[first[tasks] + np.fromiter(labels.values(), np.int64)]
    return answer


def estimated_within(seconds: float, name: str, votes: VoteMatrix) -> MethodOutput | None:
    """The output of a rival in a process of its own; None if it takes longer."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        later = pool.apply_async(_estimate, (name, votes))
        try:
            return later.get(seconds)
        except multiprocessing.TimeoutError:
            return None


def _estimate(name: str, votes: VoteMatrix) -> MethodOutput:
    return under_test((RIVALS | SLOW_RIVALS)[name])(votes)


def _by_index(values: Mapping[int, float], size: int, missing: float) -> Floats:
    return np.array([values.get(index, missing) for index in range(size)], dtype=np.float64)
