"""The reliability of each source, from votes alone. Pure arithmetic: no I/O, no clock, no global random state.

>>> from estimator import estimate, from_records
>>> named = from_records(["q1", "q1", "q1", "q2"], ["a", "b", "c", "a"], ["Oslo", "Oslo", "Rome", "Bern"])
>>> result = estimate(named.votes)
>>> [named.answers[answer] for answer in result.answer]
['Oslo', 'Bern']
>>> result.reliability.shape, result.lower.shape, result.upper.shape
((3,), (3,), (3,))

README.md beside this file has a table of the methods and a map of the modules. Names are imported on first use, so that
`import estimator.errors` loads neither NumPy nor SciPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from estimator.converters import NamedVotes, from_arrow, from_binary_copy, from_records
    from estimator.copying.pairs import PriorEvidence
    from estimator.errors import CredenceError, EstimatorError
    from estimator.estimation import estimate
    from estimator.frames import FrameEstimate, estimate_frame
    from estimator.numbers import NumbersEstimate, estimate_numbers
    from estimator.policies import LabelCount, NegativeWeights, SilentSources, StopReason, TiePolicy
    from estimator.prior import BetaPrior
    from estimator.result import Estimate, WarmStart
    from estimator.several_answers import SeveralAnswers, estimate_several, judge_several
    from estimator.source_priors import SourcePriors
    from estimator.topics.queries import QueryTopics
    from estimator.votes import VoteMatrix
    from estimator.wrong_answers import WrongAnswerMixture

__all__ = [
    "BetaPrior",
    "CredenceError",
    "Estimate",
    "EstimatorError",
    "FrameEstimate",
    "LabelCount",
    "NamedVotes",
    "NegativeWeights",
    "NumbersEstimate",
    "PriorEvidence",
    "QueryTopics",
    "SeveralAnswers",
    "SilentSources",
    "SourcePriors",
    "StopReason",
    "TiePolicy",
    "VoteMatrix",
    "WarmStart",
    "WrongAnswerMixture",
    "estimate",
    "estimate_frame",
    "estimate_numbers",
    "estimate_several",
    "from_arrow",
    "from_binary_copy",
    "from_records",
    "judge_several",
]

_MODULES = {
    "converters": ("NamedVotes", "from_arrow", "from_binary_copy", "from_records"),
    "copying.pairs": ("PriorEvidence",),
    "errors": ("CredenceError", "EstimatorError"),
    "estimation": ("estimate",),
    "frames": ("FrameEstimate", "estimate_frame"),
    "numbers": ("NumbersEstimate", "estimate_numbers"),
    "policies": ("LabelCount", "NegativeWeights", "SilentSources", "StopReason", "TiePolicy"),
    "prior": ("BetaPrior",),
    "result": ("Estimate", "WarmStart"),
    "several_answers": ("SeveralAnswers", "estimate_several", "judge_several"),
    "source_priors": ("SourcePriors",),
    "topics.queries": ("QueryTopics",),
    "votes": ("VoteMatrix",),
    "wrong_answers": ("WrongAnswerMixture",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module exports
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
