"""Options that choose how an estimation or an answer is made; left out, the service's defaults hold."""

from typing import Annotated

import typer

from answering.equivalence import ClassPolicy
from estimator.policies import Method, NegativeWeights, TiePolicy

MethodOption = Annotated[Method | None, typer.Option(help="How votes become reliabilities.", show_default="auto")]
LabelsOption = Annotated[
    int | None, typer.Option(min=2, help="L in the weight L*w - 1 of iwmv.", show_default="the number of sources")
]
TiesOption = Annotated[TiePolicy | None, typer.Option(help="Which answer wins when weights are equal.")]
NegativeOption = Annotated[
    NegativeWeights | None, typer.Option("--negative-weights", help="What becomes of weights below zero.")
]
RoundsOption = Annotated[int | None, typer.Option("--max-rounds", min=1, max=1000, help="Rounds at most.")]
ClassesOption = Annotated[
    ClassPolicy | None, typer.Option("--class-policy", help="When two answers count as the same.")
]
