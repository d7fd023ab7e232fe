"""Dify's external knowledge: what it sends, and the records that it takes."""

from typing import Annotated

from pydantic import Field

from answering.parameters import Number
from api.http.schemas.base import Share, View
from api.http.schemas.chat import ClientInput
from registry.platform.fields import Question


class RetrievalSetting(ClientInput):
    """How many records Dify wants."""

    top_k: Annotated[int, Field(ge=1, le=100), Number] = 4
    """Most records."""
    score_threshold: Annotated[float, Field(ge=0, le=1), Number] | None = None
    """Least score; null is 0."""


class RetrievalInput(ClientInput):
    """A query to a knowledge base; metadata conditions are ignored."""

    knowledge_id: str
    """Name of the corpus."""
    query: Question
    """What to search for."""
    retrieval_setting: RetrievalSetting = RetrievalSetting()
    """How many records, and how good ones."""


class RecordMetadata(View):
    """Where a record is from; Dify shows it and can filter by it."""

    document_id: str = Field(description="Identifier of the document.")
    source: str = Field(description="Name of the source.", examples=["Acme's blog"])
    reliability: Share | None = Field(
        description="Reliability of the source on the topic of the query; null before the first estimation."
    )
    relevance: Share = Field(description="Cosine similarity of the passage to the query, clipped to [0, 1].")
    published_at: str | None = Field(description="When the document was published, RFC 3339.")
    url: str | None = Field(description="Address of the document, else of the source.")
    path: str = Field(description="The same, or the document's external id; Dify links it.")


class Record(View):
    """A passage."""

    content: str = Field(description="The passage, verbatim.")
    score: Share = Field(description="Relevance weighed by reliability.", examples=[0.61])
    title: str = Field(description="Title of the document, and its source.")
    metadata: RecordMetadata = Field(description="Where it is from.")


class RetrievalResult(View):
    """The records, best first."""

    records: list[Record] = Field(description="The best passages over all sources of the corpus.")
