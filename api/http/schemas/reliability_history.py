"""The estimates of one source, one after the other."""

from typing import TYPE_CHECKING, Self, TypeAlias

from pydantic import Field

from api.http.schemas.base import ListView
from api.http.schemas.sources import RunSourceView

if TYPE_CHECKING:
    from registry.estimations.model import EstimationRun, RunSource


class PastEstimate(RunSourceView):
    """The estimate of one source by one estimation, and how that estimated: where this changes from one to the next,
    the source need not have changed.
    """

    number: int = Field(description="Number of the estimation in the corpus.")
    method: str | None = Field(description="How votes became reliabilities.", examples=["one_coin"])
    reader: str | None = Field(description="Name of the reader.", examples=["openai:qwen2.5:7b"])

    @classmethod
    def of(cls, estimate: "RunSource", run: "EstimationRun") -> Self:
        how = {"number": run.number, "method": run.method, "reader": run.reader}
        return cls(**RunSourceView.model_validate(estimate).model_dump(), **how)


ReliabilityHistory: TypeAlias = ListView[PastEstimate]
