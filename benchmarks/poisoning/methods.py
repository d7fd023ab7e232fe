"""What answers queries: our methods, crowd-kit, and two defences of retrieval, on votes in the place of texts.

RobustRAG (Xiang et al. 2024, arXiv:2405.15556) reads each passage by itself and keeps keywords that enough of the
isolated answers have; on votes that is the answer of most sources where it has its threshold, and none elsewhere.
ReliabilityRAG (Shen et al. 2025, arXiv:2509.23519) takes a largest set of documents of which none contradicts another,
the one with the best ranks where several are as large, and answers from it; on votes, where two sources contradict each
other if they answer a query differently, that is the set of the answer with most votes, and of equal ones that of
the earlier sources. Neither estimates reliabilities, and both are far cheaper than that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.estimator.rivals import RIVALS, under_test
from benchmarks.poisoning.questions import answers
from benchmarks.poisoning.worlds import World
from estimator import Estimate, VoteMatrix, estimate
from estimator.arrays.types import Integers

# Appendix of RobustRAG: a keyword counts from min(alpha * passages, beta) isolated answers on; alpha 0.3 and beta 3.
_ALPHA, _BETA = 0.3, 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answers, and whether the run said that something is wrong."""

    answer: Integers
    """(M,), -1 where there is none."""
    warned: bool = False
    named: frozenset[int] = frozenset()
    """The sources that a warning names."""


Method = Callable[[World], Outcome]


@lru_cache(maxsize=32)
def _estimated(votes: VoteMatrix, name: str) -> Estimate:
    """The worlds of one number of liars are given to one method after the other. A run of the service makes separate
    runs too.
    """
    return estimate(votes, name, separate_runs=name == "auto")


def _ours(name: str) -> Method:
    def method(world: World) -> Outcome:
        return _outcome(_estimated(world.votes, name))

    return method


def _outcome(result: Estimate) -> Outcome:
    groups = [group.members for group in result.copies] + [group.members for group in result.dissents]
    named = {source for members in groups for source in members}
    return Outcome(result.answer, bool(named) or result.doubt is not None, frozenset(named))


def _liars_last(world: World) -> Outcome:
    """Sources came one a day, the liars after the honest ones."""
    return _outcome(estimate(world.votes, registered=np.arange(world.votes.source_count)))


def _liars_first(world: World) -> Outcome:
    liars = world.votes.source_count - world.honest
    days = (np.arange(world.votes.source_count) + liars) % world.votes.source_count
    return _outcome(estimate(world.votes, registered=days))


def _asked(world: World) -> Outcome:
    return Outcome(answers(world.votes, _estimated(world.votes, "auto")))


def _crowd_kit(world: World) -> Outcome:
    return Outcome(under_test(RIVALS["crowd-kit OneCoin"])(world.votes).answer)


def _most_votes(votes: VoteMatrix) -> tuple[Integers, Integers, Integers]:
    """(M,) the answer of most sources, of equal ones that with the earliest source, -1 without votes; its votes and all
    votes of the query.
    """
    support = np.diff(votes.class_start)
    total = np.bincount(votes.class_query, support, votes.query_count).astype(np.int64)
    order = np.lexsort((votes.source[votes.class_start[:-1]], -support, votes.class_query))
    queries, place = np.unique(votes.class_query[order], return_index=True)
    answer, most = np.full(votes.query_count, -1), np.zeros(votes.query_count, dtype=np.int64)
    answer[queries], most[queries] = votes.class_answer[order[place]], support[order[place]]
    return answer, most, total


def independent_set(world: World) -> Outcome:
    """ReliabilityRAG on votes."""
    return Outcome(_most_votes(world.votes)[0])


def isolate_and_aggregate(world: World) -> Outcome:
    """RobustRAG on votes."""
    answer, most, total = _most_votes(world.votes)
    return Outcome(np.where(most >= np.minimum(_ALPHA * total, _BETA), answer, -1))


def methods(*, crowd_kit: bool) -> Mapping[str, Method]:
    """The methods by name."""
    ours = {"auto": _ours("auto"), "auto, asked": _asked}
    ours |= {"auto, liars last": _liars_last, "auto, liars first": _liars_first}
    ours |= {name: _ours(name) for name in ("one_coin", "iwmv", "majority")}
    rivals: dict[str, Method] = {"crowd-kit OneCoin": _crowd_kit} if crowd_kit else {}
    return ours | rivals | {"isolate-and-aggregate": isolate_and_aggregate, "independent set": independent_set}
