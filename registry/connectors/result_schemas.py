"""The report of a run of a connector."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from registry.platform.fields import Result


@dataclass(frozen=True, slots=True)
class ConnectorProblem:
    """A location or a document that could not be read."""

    location: Annotated[str, Field(description="The file or address.", examples=["https://herald.example/feed.xml"])]
    error: Annotated[str, Field(description="What went wrong.", examples=["No complete answer in 30 s."])]
    external_id: Annotated[str | None, Field(description="The document; null if it is the whole location.")] = None


class ConnectorReport(Result):
    """The result of a run. Documents are counted as lines of an import are, locations by how they were read."""

    created: int = Field(default=0, description="New documents.")
    updated: int = Field(default=0, description="Documents that changed.")
    unchanged: int = Field(default=0, description="Documents read again that did not change.")
    rejected: int = Field(default=0, description="Documents that were refused.")
    deleted: int = Field(default=0, description="Documents deleted because they are gone.")
    locations: int = Field(default=0, description="Files or addresses listed.")
    not_modified: int = Field(default=0, description="Locations that did not change since.")
    failed: int = Field(default=0, description="Locations that could not be read; their documents stay.")
    contradictions: int = Field(default=0, description="Contradictions of new documents that were found.")
    problems: list[ConnectorProblem] = Field(default_factory=list, description="The first hundred problems.")
