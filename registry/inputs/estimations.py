"""What a caller may choose about an estimation; stored with its run."""

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
    """Choices of one estimation run."""

    method: Method = Method("auto")
    """How votes become reliabilities. `auto` hears sources that copy once and then takes `bayes` or `confusion` by
    evidence; `iwmv` is the iterative weighted majority vote of Li & Yu (2014), as RA-RAG has it; `oracle` takes the
    shares of right votes by the gold answers, for audits: its reliabilities never count in an answer."""
    labels: Annotated[int, Field(ge=2, le=1_000_000), Number] | None = None
    """The number of labels L in the weight L*w - 1 of `iwmv`; null takes the number of sources, as RA-RAG does."""
    ties: TiePolicy = TiePolicy.SUPPORTERS
    """Which class wins when weights are equal."""
    negative_weights: NegativeWeights = NegativeWeights.KEEP
    """What becomes of the weight of a source that is right less often than chance, with `iwmv`."""
    max_rounds: Annotated[int, Field(ge=1, le=1000), Number] = 100
    """Rounds after which the iteration stops unconverged."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """When two answers count as the same."""
