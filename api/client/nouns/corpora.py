"""Corpora, their tables as files (`jsonl`, `csv` or `parquet`; for `Client.download`), and who changed what in them."""

from api.client.call import Nothing, Operation, Sending
from api.http.schemas.audit import AuditLog
from api.http.schemas.corpora import CorpusList, CorpusView
from registry.corpora.schemas import CorpusInput, CorpusPatch

list_corpora = Operation("GET /v1/corpora", CorpusList)
create_corpus = Sending("POST /v1/corpora", CorpusView, CorpusInput)
get_corpus = Operation("GET /v1/corpora/{corpus}", CorpusView)
update_corpus = Sending("PATCH /v1/corpora/{corpus}", CorpusView, CorpusPatch)
delete_corpus = Operation("DELETE /v1/corpora/{corpus}", Nothing)
export_table = Operation("GET /exports/{table}", Nothing)
list_corpus_changes = Operation("GET /audit", AuditLog)
list_changes = Operation("GET /v1/audit", AuditLog)
