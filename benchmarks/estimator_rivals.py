"""crowd-kit's methods for the benchmark of the estimator, all from the same (V,) arrays of votes."""

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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one contestant made of the votes: (M,) answers, and (N,) reliabilities with intervals or NaN."""

    answer: Integers
    reliability: Floats
    lower: Floats
    upper: Floats


Contestant = Callable[[VoteMatrix], Verdict]


def rival_present(report: Report) -> bool:
    """Whether crowd-kit is installed; the report says so if not."""
    if find_spec("crowdkit") is not None:
        return True
    report.rival_skipped("crowd-kit", "not installed: pip install crowd-kit")
    return False


def wawa(
    query: Integers, source: Integers, answer: Integers, *, weighted: bool = True
) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """Labels by query and skills by source, as crowd-kit computes them.

    These are the two steps of `Wawa.fit_predict`, which itself stops at a check that scikit-learn 1.9 changed.
    """
    from crowdkit.aggregation import MajorityVote, Wawa  # noqa: PLC0415 - crowd-kit need not be installed

    table = frame(query, source, answer)
    skills: Any = Wawa().fit(table).skills_
    labels: Any = MajorityVote().fit(table, skills=skills if weighted else None).labels_
    return labels.to_dict(), skills.to_dict()


def one_coin(query: Integers, source: Integers, answer: Integers) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """OneCoinDawidSkene with its own defaults."""
    from crowdkit.aggregation import OneCoinDawidSkene  # noqa: PLC0415 - the same

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        fitted: Any = OneCoinDawidSkene().fit(frame(query, source, answer))
    return fitted.labels_.to_dict(), fitted.skills_.to_dict()


def dawid_skene(query: Integers, source: Integers, answer: Integers) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """DawidSkene with its own defaults; its confusion matrices are no reliabilities."""
    from crowdkit.aggregation import DawidSkene  # noqa: PLC0415 - the same

    fitted: Any = DawidSkene().fit(frame(query, source, answer))
    return fitted.labels_.to_dict(), {}


def m_msr(query: Integers, source: Integers, answer: Integers) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """MMSR with its own defaults but for the seed, and the majority where it fails; its skills are no reliabilities."""
    from crowdkit.aggregation import MMSR, MajorityVote  # noqa: PLC0415 - the same

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        table = frame(query, source, answer)
        try:
            labels: Any = MMSR(random_state=0).fit_predict(table)
        except ValueError:  # its weights become NaN where few sources share queries
            labels = MajorityVote().fit_predict(table)
    return labels.to_dict(), {}


def glad(query: Integers, source: Integers, answer: Integers) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """GLAD with 20 of its 100 rounds, which take it minutes."""
    from crowdkit.aggregation import GLAD  # noqa: PLC0415 - the same

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        labels: Any = GLAD(n_iter=20).fit_predict(frame(query, source, answer))
    return labels.to_dict(), {}


def mace(query: Integers, source: Integers, answer: Integers) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """MACE with its own defaults but for the seed."""
    from crowdkit.aggregation import MACE  # noqa: PLC0415 - the same

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        labels: Any = MACE(random_state=0).fit_predict(frame(query, source, answer))
    return labels.to_dict(), {}


def frame(query: Integers, source: Integers, answer: Integers) -> Any:  # noqa: ANN401 - pandas ships no types
    """The table crowd-kit reads."""
    import pandas as pd  # noqa: PLC0415 - it comes with crowd-kit

    return pd.DataFrame({"task": query, "worker": source, "label": answer})


Method = Callable[[Integers, Integers, Integers], tuple[Mapping[int, int], Mapping[int, float]]]

RIVALS: dict[str, Method] = {
    "crowd-kit Wawa": wawa,
    "crowd-kit OneCoin": one_coin,
    "crowd-kit DawidSkene": dawid_skene,
    "crowd-kit M-MSR": m_msr,
}
SLOW_RIVALS: dict[str, Method] = {"crowd-kit GLAD": glad, "crowd-kit MACE": mace}


def contestant(method: Method) -> Contestant:
    """A method of crowd-kit in the shape of ours."""

    def judge(votes: VoteMatrix) -> Verdict:
        labels, skills = method(*votes.triples())
        unknown = np.full(votes.source_count, np.nan)
        reliability = _by_index(skills, votes.source_count, np.nan)
        return Verdict(_by_index(labels, votes.query_count, -1).astype(np.int64), reliability, unknown, unknown)

    return judge


def judged_within(seconds: float, name: str, votes: VoteMatrix) -> Verdict | None:
    """The verdict of a method of crowd-kit, None if it takes longer; a process of its own, so that it can be ended."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        later = pool.apply_async(_judge, (name, votes))
        try:
            return later.get(seconds)
        except multiprocessing.TimeoutError:
            return None


def _judge(name: str, votes: VoteMatrix) -> Verdict:
    return contestant((RIVALS | SLOW_RIVALS)[name])(votes)


def _by_index(values: Mapping[int, float], size: int, missing: float) -> Floats:
    return np.array([values.get(index, missing) for index in range(size)], dtype=np.float64)
