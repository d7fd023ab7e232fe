"""A generation of queries: its parameters, which are stored with it, and its report."""

from typing import Annotated

from pydantic import Field, StrictBool

from answering.parameters import Number
from registry.platform.fields import Input, Result


class GenerationParameters(Input):
    """Parameters of a generation of queries. The same ones give the same queries of the same documents, unless
    `max_seconds` ends it first."""

    queries: Annotated[int, Field(ge=1, le=10_000), Number] = 100
    """Most queries to add."""
    max_readings: Annotated[int, Field(ge=1, le=10_000_000), Number] = 10_000
    """Most readings to make."""
    max_seconds: Annotated[float, Field(gt=0, le=86_400), Number] = 1_800
    """Time limit in seconds."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1), Number] = 0
    """Seed of the order in which documents and sentences are tried."""
    min_sources: Annotated[int, Field(ge=1, le=100), Number] = 2
    """Number of other sources that must answer a query in their own words; two must agree."""
    max_agreed: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """Most queries on which all sources agree, as a share of `queries`."""
    active: StrictBool = True
    """Whether estimations use the queries at once; otherwise they are suggestions until somebody activates them."""
    language_model: StrictBool = False
    """Whether the language model (CREDENCE_CHAT_MODEL) words facts of which rules make no plain question, and checks
    every question that sources answer; at most five replies for each of `queries`."""
    estimate: StrictBool = False
    """Whether to start an estimation afterwards."""


class GenerationReport(Result):
    """Counts of a generation. Of the facts tried, those that became no query are counted by why."""

    documents: int = Field(default=0, description="Documents searched.")
    facts: int = Field(default=0, description="Facts tried: a question and its answer, each.")
    readings: int = Field(default=0, description="Readings taken, stored ones included.")
    queries: int = Field(default=0, description="Queries added.")
    agreed: int = Field(default=0, description="Facts among those that all sources answer alike.")
    repeated: int = Field(default=0, description="Facts that a query asks for already.")
    misread: int = Field(default=0, description="Facts that the reader did not find in their own document.")
    unanswered: int = Field(default=0, description="Facts on which too few other sources say something.")
    copied: int = Field(default=0, description="Facts that other sources say in the same words only.")
    contested: int = Field(default=0, description="Facts on which no two sources agree.")
    unclear: int = Field(default=0, description="Facts whose question the language model found unclear.")
    model_calls: int = Field(default=0, description="Replies of the language model.")
    surplus: int = Field(default=0, description="Facts that all sources state alike, beyond `max_agreed`.")


class Provenance(Result):
    """The origin of a query."""

    document_id: str = Field(description="The document.")
    source_id: str = Field(description="Its source.")
    sentence: str = Field(description="The sentence that it was written from.")
    answer: str = Field(description="Answer of that sentence.")
    leading_answer: str | None = Field(default=None, description="Most frequent answer when it was made.")
    generation_id: str | None = Field(default=None, description="The generation that wrote it.")
