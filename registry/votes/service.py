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
from registry.votes import store
from registry.votes.schemas import VoteLine

NO_QUERY = "There is no such query, and an API key that is bound to sources makes none."
# Votes are short: more of them make a statement.
BATCH_LINES = 2_000


def import_votes(
    runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes], *, key_id: UUID | None = None
) -> AsyncIterator[LineResult]:
    """Import votes, one of a source on a query; of two the later counts. Sources and queries that the corpus does not
    have are made. A line of a source that the key is not bound to is rejected.
    """
    return import_lines(lines, VoteLine, partial(_write, runtime, corpus, key_id), batch_lines=BATCH_LINES)


async def _write(
    runtime: Runtime, corpus: Corpus, key_id: UUID | None, batch: Sequence[Line[VoteLine]]
) -> list[LineResult]:
    votes = [line.values for line in batch]
    async with runtime.database.begin() as session:
        bound = await bound_of(session, key_id)
        by_name = await sources.find_or_create(session, corpus, {vote.source for vote in votes}, bound)
        known = [vote for vote in votes if isinstance(by_name[vote.source], Source)]
        query_ids = await store.find_or_create_queries(session, corpus, known, create=bound is None)
        keys = {line.number: _key_of(line.values, by_name, query_ids) for line in batch}
        # Of several votes of a source on a query the last one stays, and the earlier lines have its result.
        last = {key: (line.new_id, line.values) for line in batch if not isinstance(key := keys[line.number], str)}
        written = await store.upsert(session, corpus, last) if last else {}
    return [_result(line, keys[line.number], written) for line in batch]


def _key_of(
    vote: VoteLine, by_name: Mapping[str, Source | str], query_ids: Mapping[str, UUID]
) -> tuple[UUID, UUID] | str:
    """The query and the source of a vote, or the reason why it is refused."""
    source, query_id = by_name[vote.source], query_ids.get(store.query_id_of(vote))
    if isinstance(source, str):
        return source
    if source.status == SourceStatus.RETIRED:
        return f"The source {source.external_id!r} is retired; make it active to import votes of it."
    return NO_QUERY if query_id is None else (query_id, source.id)


def _result(
    line: Line[VoteLine], key: tuple[UUID, UUID] | str, written: Mapping[tuple[UUID, UUID], tuple[UUID, bool]]
) -> LineResult:
    external_id = line.values.external_id
    if isinstance(key, str):
        return rejected(line.number, key, external_id)
    if key not in written:
        return LineResult(line.number, LineStatus.UNCHANGED, external_id=external_id)
    vote_id, is_new = written[key]
    return LineResult(line.number, LineStatus.CREATED if is_new else LineStatus.UPDATED, vote_id, external_id)
