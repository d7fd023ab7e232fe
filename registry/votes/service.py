"""Import of votes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from uuid import UUID

from registry.corpora.model import Corpus
from registry.documents.imports import Line, import_lines
from registry.documents.schemas import LineResult, LineStatus, rejected
from registry.keys.service import bound_of
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.votes.lines import parse_vote
from registry.votes.schemas import VoteRow
from registry.votes.store import writer
from registry.votes.store.writer import VoteKey

NO_QUERY = "There is no such query, and an API key that is bound to sources makes none."
# Votes are short: more of them make a statement.
BATCH_LINES = 10_000


def import_votes(
    runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes], *, key_id: UUID | None = None
) -> AsyncIterator[LineResult]:
    """Import votes, one of a source on a query; of two the later counts. Sources and queries that the corpus does not
    have are made. A line of a source that the key is not bound to is rejected.
    """
    write = partial(_write, runtime, corpus, key_id)
    return import_lines(lines, parse_vote, write, batch_lines=BATCH_LINES, read_ahead=True)


async def _write(
    runtime: Runtime, corpus: Corpus, key_id: UUID | None, batch: Sequence[Line[VoteRow]]
) -> list[LineResult]:
    async with runtime.database.begin() as session:
        bound = await bound_of(session, key_id)
        found = await sources.find_or_create(session, corpus, {line.values.source for line in batch}, bound)
        by_name = {name: _id_or_refusal(source) for name, source in found.items()}
        known = (line.values for line in batch if isinstance(found[line.values.source], Source))
        texts = {writer.query_id_of(vote): vote for vote in known}
        query_ids = await writer.find_or_create_queries(session, corpus, texts, create=bound is None)
        keys = [_key_of(line.values, by_name, query_ids) for line in batch]
        # Of several votes of a source on a query the last one stays, and the earlier lines have its result.
        last = {
            key: (line.new_id, line.values) for key, line in zip(keys, batch, strict=True) if not isinstance(key, str)
        }
        written = await writer.upsert(session, corpus, last) if last else writer.Written(set(), {})
    return [
        rejected(line.number, key, line.values.external_id)
        if isinstance(key, str)
        else _result(line, key, last[key][0], written)
        for line, key in zip(batch, keys, strict=True)
    ]


def _key_of(vote: VoteRow, by_name: Mapping[str, UUID | str], query_ids: Mapping[str, UUID]) -> VoteKey | str:
    """The query and the source of a vote, or the reason why it is refused."""
    source_id, query_id = by_name[vote.source], query_ids.get(writer.query_id_of(vote))
    if isinstance(source_id, str):
        return source_id
    return NO_QUERY if query_id is None else (query_id, source_id)


def _id_or_refusal(source: Source | str) -> UUID | str:
    if isinstance(source, str):
        return source
    if source.status == SourceStatus.RETIRED:
        return f"The source {source.external_id!r} is retired; make it active to import votes of it."
    return source.id


def _result(line: Line[VoteRow], key: VoteKey, new_id: UUID, written: writer.Written) -> LineResult:
    """Of a line whose vote on its query was written, or that of a later line, with this identifier for a new one."""
    external_id = line.values.external_id
    if new_id in written.new:
        return LineResult(line.number, LineStatus.CREATED, new_id, external_id)
    changed_id = written.changed.get(key)
    status = LineStatus.UNCHANGED if changed_id is None else LineStatus.UPDATED
    return LineResult(line.number, status, changed_id, external_id)
