"""Parameters of a generation of queries, which are stored with it."""

from typing import Annotated

from pydantic import Field, StrictBool

from answering.parameters import Number
from registry.inputs.fields import Input


class GenerationParameters(Input):
    """Parameters of a generation of queries. The same ones give the same queries of the same documents, unless
    `max_seconds` ends it first."""

    queries: Annotated[int, Field(ge=1, le=10_000), Number] = 100
    """Most queries that it adds."""
    max_readings: Annotated[int, Field(ge=1, le=10_000_000), Number] = 10_000
    """Most readings that it takes."""
    max_seconds: Annotated[float, Field(gt=0, le=86_400), Number] = 1_800
    """Seconds after which it ends with what it has."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1), Number] = 0
    """Which documents, and which of their sentences, come first."""
    min_sources: Annotated[int, Field(ge=1, le=100), Number] = 2
    """How many sources, besides that of the document, must answer a query in words of their own; two must agree."""
    max_agreed: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """Most of the queries that all sources answer alike, as a share of `queries`."""
    active: StrictBool = True
    """Whether estimations use them at once; else they wait as suggestions until somebody makes them active."""
    estimate: StrictBool = False
    """Whether an estimation follows."""
