"""Import of votes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Final
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from registry.corpora.model import Corpus
from registry.documents.imports import Line, import_lines
from registry.documents.schemas import LineResult, LineStatus, rejected
from registry.keys.service import bound_of
from registry.platform.enums import AnswerPolicy, SourceStatus
from registry.platform.ndjson import parse_line
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.votes.schemas import VoteLine, VoteRow
from registry.votes.several import LINE, answers_of
from registry.votes.store import writer
from registry.votes.store.writer import StagedVote, VotedOn, VoteKey

ONE_ANSWER = (
    "This is a list, and one answer to this query is right: set `answers` of the corpus or of the query to `several`."
)
NO_QUERY = "There is no such query, and an API key that is bound to sources makes none."
# Votes are short: more of them make a statement.
BATCH_LINES = 10_000


def import_votes(
    runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes], *, key_id: UUID | None = None
) -> AsyncIterator[LineResult]:
    """Import votes, one of a source on a query; of two the later counts. Where several answers may be true, a list
    counts likewise, and a text is added to what the source listed. Sources and queries that the corpus does not have
    are made. A line of a source that the key is not bound to is rejected.
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
        voted_on = await writer.find_or_create_queries(session, corpus, texts, create=bound is None)
        keys = [_key_of(line.values, by_name, voted_on) for line in batch]
        listing = {query.id for query in voted_on.values() if query.policy is AnswerPolicy.SEVERAL}
        # Of several votes of a source on a query the last one stays, and the earlier lines have its result.
        last: dict[VoteKey, StagedVote] = {}
        for key, line in zip(keys, batch, strict=True):
            if not isinstance(key, str):
                last[key] = _listed(line, last.get(key)) if key[0] in listing else _single(line)
        written = await writer.upsert(session, corpus, last) if last else writer.Written(set(), {})
    return [
        rejected(line.number, key, line.values.external_id)
        if isinstance(key, str)
        else _result(line, key, last[key].new_id, written)
        for line, key in zip(batch, keys, strict=True)
    ]


def _key_of(vote: VoteRow, by_name: Mapping[str, UUID | str], voted_on: Mapping[str, VotedOn]) -> VoteKey | str:
    """The query and the source of a vote, or the reason why it is refused."""
    source_id, query = by_name[vote.source], voted_on.get(writer.query_id_of(vote))
    if isinstance(source_id, str):
        return source_id
    if query is None:
        return NO_QUERY
    if not isinstance(vote.answer, str) and query.policy is not AnswerPolicy.SEVERAL:
        return ONE_ANSWER
    return query.id, source_id


def _single(line: Line[VoteRow]) -> StagedVote:
    return StagedVote(line.new_id, line.values, str(line.values.answer))


def _listed(line: Line[VoteRow], earlier: StagedVote | None) -> StagedVote:
    """A vote of several answers: a list replaces what the source listed, and a text is added to it."""
    answer = line.values.answer
    adds = isinstance(answer, str)
    answers = answer if isinstance(answer, str) else LINE.join(answer)
    if adds and earlier is not None:
        answers, adds = LINE.join((earlier.answer, answers)), earlier.adds
    return StagedVote(line.new_id, line.values, LINE.join(answers_of(answers)), adds)


def _id_or_refusal(source: Source | str) -> UUID | str:
    if isinstance(source, str):
        return source
    if source.status == SourceStatus.RETIRED:
        return f"The source {source.external_id!r} is retired; make it active to import votes of it."
    return source.id


def _result(line: Line[VoteRow], key: VoteKey, new_id: UUID, written: writer.Written) -> LineResult:
    """The result of a line whose vote, or that of a later line on the query, was written, with this id if new."""
    external_id = line.values.external_id
    if new_id in written.new:
        return LineResult(line=line.number, status=LineStatus.CREATED, id=new_id, external_id=external_id)
    changed_id = written.changed.get(key)
    status = LineStatus.UNCHANGED if changed_id is None else LineStatus.UPDATED
    return LineResult(line=line.number, status=status, id=changed_id, external_id=external_id)


_ROW: Final = TypeAdapter(VoteRow).validator


def parse_vote(line: bytes) -> VoteRow:
    """The vote on a line; raises ValueError with a message for its author.

    >>> parse_vote(b'{"worker": "ann", "task": 17, "label": true}').answer
    'true'
    """
    try:
        row: VoteRow = _ROW.validate_json(line)
    except ValidationError:
        # It has other names, numbers as text, control characters, or an error, which the model explains.
        vote = parse_line(VoteLine, line)
        return VoteRow(vote.source, vote.query, vote.answer, vote.at, vote.confidence, vote.topic, vote.external_id)
    return row
