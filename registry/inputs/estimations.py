"""Parameters of an estimation, which are stored with its run."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from answering.equivalence import ClassPolicy
from answering.parameters import Number
from estimator.methods import METHODS
from estimator.policies import NegativeWeights, TiePolicy
from registry.inputs.fields import Input


class Method(StrEnum):
    """Where the reliabilities and the weights come from."""

    # Members are those of the one list of methods, which a type checker need not know.
    vars().update({method.name.upper(): method.name for method in METHODS})


class EstimationParameters(Input):
    """Parameters of an estimation run."""

    method: Method = Method("auto")
    """The estimator. `auto` counts each copy group once and chooses `bayes` or `confusion` by model evidence; `iwmv` is
    the iterative weighted majority vote (Li & Yu 2014, arXiv:1411.4086), as in RA-RAG; `oracle` computes the share of
    right votes from gold answers, for audits: its reliabilities are never used in an answer."""
    labels: Annotated[int, Field(ge=2, le=1_000_000), Number] | None = None
    """The number of labels L in the weight L*w - 1 of `iwmv`; null takes the number of sources, as in RA-RAG."""
    ties: TiePolicy = TiePolicy.SUPPORTERS
    """Which class wins a tie."""
    negative_weights: NegativeWeights = NegativeWeights.KEEP
    """How `iwmv` treats the negative weight of a source that is right less often than chance."""
    max_rounds: Annotated[int, Field(ge=1, le=1000), Number] = 100
    """Most rounds of the iteration, after which it stops unconverged."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """When two answers are in the same class."""
