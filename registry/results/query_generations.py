"""What a generation of queries did."""

from pydantic import Field

from registry.results.base import Result


class GenerationReport(Result):
    """Counts of a generation. Of the facts tried, those that became no query are counted by why."""

    documents: int = Field(default=0, description="Documents searched.", examples=[443])
    facts: int = Field(default=0, description="Facts tried: a question and its answer, each.", examples=[120])
    readings: int = Field(default=0, description="Readings taken, stored ones included.", examples=[900])
    queries: int = Field(default=0, description="Queries added.", examples=[48])
    agreed: int = Field(default=0, description="Of those, the ones that all sources answer alike.", examples=[20])
    repeated: int = Field(default=0, description="Facts that a query asks for already.", examples=[30])
    misread: int = Field(default=0, description="Facts that the reader did not find in their own document.")
    unanswered: int = Field(default=0, description="Facts on which too few other sources say something.")
    copied: int = Field(default=0, description="Facts that other sources say in the same words only.")
    contested: int = Field(default=0, description="Facts on which no two sources agree.")
    surplus: int = Field(default=0, description="Facts that all sources state alike, beyond `max_agreed`.")


class Provenance(Result):
    """Where a query came from."""

    document_id: str = Field(description="The document.")
    source_id: str = Field(description="Its source.")
    sentence: str = Field(description="The sentence that it was written from.")
    answer: str = Field(description="What that sentence answers.")
    leading_answer: str | None = Field(default=None, description="What most sources answered when it was made.")
    generation_id: str | None = Field(default=None, description="The generation that wrote it.")
