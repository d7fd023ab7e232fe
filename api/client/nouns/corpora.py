"""Corpora, and who changed what in them."""

from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, filled, of_corpus
from api.http.schemas.audit import AuditLog
from api.http.schemas.corpora import CorpusList, CorpusView
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.platform.enums import ExportName


def list_corpora() -> Call[CorpusList]:
    """The corpora that the key sees."""
    return Call("GET", "/v1/corpora", CorpusList)


def create_corpus(corpus: CorpusInput) -> Call[CorpusView]:
    """Make a corpus."""
    return Call("POST", "/v1/corpora", CorpusView, body=corpus)


def get_corpus(*, corpus: str = DEFAULT) -> Call[CorpusView]:
    """A corpus."""
    return of_corpus("GET", "", CorpusView, corpus)


def update_corpus(patch: CorpusPatch, *, corpus: str = DEFAULT) -> Call[CorpusView]:
    """Change a corpus; what is left out stays."""
    return of_corpus("PATCH", "", CorpusView, corpus, patch)


def delete_corpus(*, corpus: str) -> Call[Nothing]:
    """Delete a corpus with everything in it."""
    return of_corpus("DELETE", "", Nothing, corpus)


def export_table(
    table: ExportName, *, file_format: str = "jsonl", estimation_id: UUID | None = None, corpus: str = DEFAULT
) -> Call[Nothing]:
    """A table of a corpus as a file, `jsonl`, `csv` or `parquet`; for `Client.download`."""
    query = {"format": file_format, "estimation_id": estimation_id}
    return of_corpus("GET", "/exports/{table}", Nothing, corpus, query=query, table=table)


def list_corpus_changes(*, corpus: str = DEFAULT, limit: int | None = None) -> Call[AuditLog]:
    """List the changes of a corpus and who made them, the newest first."""
    return of_corpus("GET", "/audit", AuditLog, corpus, query={"limit": limit})


def list_changes(*, limit: int | None = None) -> Call[AuditLog]:
    """List the changes of all corpora and who made them, the newest first."""
    return Call("GET", "/v1/audit", AuditLog, query=filled({"limit": limit}))
