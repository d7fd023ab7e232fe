"""What can be asked of the service: each function makes a `Call`, which both clients send.

A test holds every call against the OpenAPI document: path, method, parameters, fields of the body, and the response.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel

from api.http.schemas.answers import AnswerList, AnswerView, QuestionInput
from api.http.schemas.base import View
from api.http.schemas.conflict_scores import ConflictAnswer, ConflictInput
from api.http.schemas.connectors import ConnectorList, ConnectorView
from api.http.schemas.corpora import CorpusList, CorpusView
from api.http.schemas.documents import DocumentList, DocumentView, IngestView
from api.http.schemas.estimations import EstimationInput, EstimationList, EstimationView
from api.http.schemas.gold import GoldChangeView, GoldEntryList
from api.http.schemas.queries import QueryList, QueryView
from api.http.schemas.search import SearchResult
from api.http.schemas.sources import ReliabilityView, RunSourceList, SourceList, SourceWithReliability
from api.http.schemas.streams import EventView, LineView
from registry.connectors import ConnectorInput
from registry.inputs.answers import AnswerParameters
from registry.inputs.corpora import CorpusInput
from registry.inputs.documents import DocumentInput, DocumentLine
from registry.inputs.estimations import EstimationParameters
from registry.inputs.queries import GoldInput, QueryInput
from registry.inputs.search import SearchInput
from registry.inputs.sources import SourceInput

DEFAULT = "default"
OF_CORPUS = "/v1/corpora/{corpus}"
Model = TypeVar("Model", bound=BaseModel)
ModelT_co = TypeVar("ModelT_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True, slots=True)
class Call(Generic[ModelT_co]):
    """A request and the model of its response."""

    method: str
    template: str
    response: type[ModelT_co]
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: BaseModel | None = None
    lines: Iterable[BaseModel] = ()
    """Of an import, sent as NDJSON; the response then is a line for each."""

    @property
    def url(self) -> str:
        """The path with its parameters."""
        return self.template.format(**{name: quote(value, safe="") for name, value in self.path.items()})


class Nothing(View):
    """A response without content."""


def list_corpora() -> Call[CorpusList]:
    """The corpora that the key sees."""
    return Call("GET", "/v1/corpora", CorpusList)


def create_corpus(corpus: CorpusInput) -> Call[CorpusView]:
    """Make a corpus."""
    return Call("POST", "/v1/corpora", CorpusView, body=corpus)


def list_sources(*, corpus: str = DEFAULT) -> Call[SourceList]:
    """The sources with their reliabilities."""
    return _get("/sources", SourceList, corpus)


def create_source(source: SourceInput, *, corpus: str = DEFAULT) -> Call[SourceWithReliability]:
    """Register a source."""
    return _post("/sources", SourceWithReliability, corpus, source)


def get_reliability(source: str, *, corpus: str = DEFAULT) -> Call[ReliabilityView]:
    """The reliability of a source, by its external id, id or name."""
    return _get("/sources/{source_id}/reliability", ReliabilityView, corpus, source_id=source)


def list_documents(source: str, *, corpus: str = DEFAULT) -> Call[DocumentList]:
    """The documents of a source, without their text."""
    return _get("/sources/{source_id}/documents", DocumentList, corpus, source_id=source)


def get_document(source: str, document_id: UUID, *, corpus: str = DEFAULT) -> Call[DocumentView]:
    """A document with its text."""
    path = "/sources/{source_id}/documents/{document_id}"
    return _get(path, DocumentView, corpus, source_id=source, document_id=str(document_id))


def send_document(source: str, document: DocumentInput, *, corpus: str = DEFAULT) -> Call[IngestView]:
    """Send a document of a source; it replaces the one with its external id."""
    return _post("/sources/{source_id}/documents", IngestView, corpus, document, source_id=source)


def send_documents(documents: Iterable[DocumentLine], *, corpus: str = DEFAULT) -> Call[LineView]:
    """Send documents of many sources; for `Client.import_lines`."""
    return Call("POST", f"{OF_CORPUS}/documents:import", LineView, path={"corpus": corpus}, lines=documents)


def delete_document(source: str, document_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a document."""
    template = f"{OF_CORPUS}/sources/{{source_id}}/documents/{{document_id}}"
    path = {"corpus": corpus, "source_id": source, "document_id": str(document_id)}
    return Call("DELETE", template, Nothing, path=path)


def list_queries(*, corpus: str = DEFAULT) -> Call[QueryList]:
    """The queries that reliabilities are estimated with."""
    return _get("/queries", QueryList, corpus)


def create_query(query: QueryInput, *, corpus: str = DEFAULT) -> Call[QueryView]:
    """Add a query."""
    return _post("/queries", QueryView, corpus, query)


def send_queries(queries: Iterable[QueryInput], *, corpus: str = DEFAULT) -> Call[LineView]:
    """Send many queries; for `Client.import_lines`."""
    return Call("POST", f"{OF_CORPUS}/queries:import", LineView, path={"corpus": corpus}, lines=queries)


def set_gold(query_id: UUID, gold: GoldInput, *, corpus: str = DEFAULT) -> Call[GoldChangeView]:
    """Set right answers of a query, beside those that it has unless `replace` is set."""
    return _post("/queries/{query_id}/gold", GoldChangeView, corpus, gold, query_id=str(query_id))


def list_gold(query_id: UUID, *, corpus: str = DEFAULT) -> Call[GoldEntryList]:
    """The changes of the right answers of a query, the newest first."""
    return _get("/queries/{query_id}/gold", GoldEntryList, corpus, query_id=str(query_id))


def undo_gold(query_id: UUID, entry_id: UUID, *, corpus: str = DEFAULT) -> Call[GoldChangeView]:
    """Undo the last change of the right answers of a query."""
    path = "/queries/{query_id}/gold/{entry_id}:undo"
    return _post(path, GoldChangeView, corpus, query_id=str(query_id), entry_id=str(entry_id))


def start_estimation(parameters: EstimationParameters | None = None, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """Estimate all reliabilities; follow it with `follow_estimation`."""
    body = EstimationInput(parameters=parameters) if parameters is not None else EstimationInput()
    return _post("/estimations", EstimationView, corpus, body)


def list_estimations(*, corpus: str = DEFAULT) -> Call[EstimationList]:
    """The estimations."""
    return _get("/estimations", EstimationList, corpus)


def get_estimation(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """An estimation, with its progress."""
    return _get("/estimations/{estimation_id}", EstimationView, corpus, estimation_id=str(estimation_id))


def follow_estimation(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[EventView]:
    """The events of an estimation; for `Client.follow`."""
    return _get("/estimations/{estimation_id}/events", EventView, corpus, estimation_id=str(estimation_id))


def cancel_estimation(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[EstimationView]:
    """Ask an estimation to stop."""
    return _post("/estimations/{estimation_id}:cancel", EstimationView, corpus, estimation_id=str(estimation_id))


def list_estimated_sources(estimation_id: UUID, *, corpus: str = DEFAULT) -> Call[RunSourceList]:
    """The sources of an estimation, the most reliable first."""
    return _get("/estimations/{estimation_id}/sources", RunSourceList, corpus, estimation_id=str(estimation_id))


def ask(question: str, parameters: AnswerParameters | None = None, *, corpus: str = DEFAULT) -> Call[AnswerView]:
    """Ask a question and wait for the answer."""
    return _post("/answers", AnswerView, corpus, _question(question, parameters))


def start_answer(
    question: str, parameters: AnswerParameters | None = None, *, corpus: str = DEFAULT
) -> Call[AnswerView]:
    """Ask a question that a worker answers; follow it with `follow_answer`."""
    path, body = {"corpus": corpus}, _question(question, parameters)
    prefer = {"Prefer": "respond-async"}
    return Call("POST", f"{OF_CORPUS}/answers", AnswerView, path=path, headers=prefer, body=body)


def list_answers(*, corpus: str = DEFAULT) -> Call[AnswerList]:
    """The questions that were asked, without their answers."""
    return _get("/answers", AnswerList, corpus)


def get_answer(answer_id: UUID, *, corpus: str = DEFAULT) -> Call[AnswerView]:
    """An answer as it was given."""
    return _get("/answers/{answer_id}", AnswerView, corpus, answer_id=str(answer_id))


def follow_answer(answer_id: UUID, *, corpus: str = DEFAULT) -> Call[EventView]:
    """The events of an answer, such as the turns of a debate; for `Client.follow`."""
    return _get("/answers/{answer_id}/events", EventView, corpus, answer_id=str(answer_id))


def search(values: SearchInput, *, corpus: str = DEFAULT) -> Call[SearchResult]:
    """The best passages over all sources."""
    return _post("/search", SearchResult, corpus, values)


def score_conflicts(values: ConflictInput, *, corpus: str = DEFAULT) -> Call[ConflictAnswer]:
    """Hold a response against documents."""
    return _post("/conflict-scores", ConflictAnswer, corpus, values)


def list_connectors(*, corpus: str = DEFAULT) -> Call[ConnectorList]:
    """The connectors with the reports of their last runs."""
    return _get("/connectors", ConnectorList, corpus)


def create_connector(connector: ConnectorInput, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """Make a connector."""
    return _post("/connectors", ConnectorView, corpus, connector)


def get_connector(connector_id: UUID, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """A connector with the report of its last run."""
    return _get("/connectors/{connector_id}", ConnectorView, corpus, connector_id=str(connector_id))


def run_connector(connector_id: UUID, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """Queue a run of a connector."""
    return _post("/connectors/{connector_id}:run", ConnectorView, corpus, connector_id=str(connector_id))


def _get(path: str, response: type[Model], corpus: str, **parts: str) -> Call[Model]:
    return Call("GET", OF_CORPUS + path, response, path={"corpus": corpus, **parts})


def _post(path: str, response: type[Model], corpus: str, body: BaseModel | None = None, **parts: str) -> Call[Model]:
    return Call("POST", OF_CORPUS + path, response, path={"corpus": corpus, **parts}, body=body)


def _question(question: str, parameters: AnswerParameters | None) -> QuestionInput:
    if parameters is None:
        return QuestionInput(question=question)
    return QuestionInput(question=question, parameters=parameters)
