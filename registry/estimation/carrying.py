"""Votes carried over: a run takes from an earlier one what cannot have changed since, and reads the rest.

The vote of a source on a query depends on the text of the query, on the documents of the source, and on what
`conditions` is a digest of; fuzzy classes on all answers to the query. Which sources are read for a query depends on
the documents of all of them where only candidates are read. So where nothing else can have changed, queries are carried
over as a whole, and otherwise the votes of those sources that did not change, or whose new passages are not among those
that are read.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import KEYS_VERSION
from answering.readers import ChatReader
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, RunStatus
from registry.reading import READING_VERSION, only_candidates
from registry.runtime import Runtime
from registry.store.readings import digest
from registry.store.votes import LONG_TIMEOUT

# A number of every active source that changes with the source and with the times of its documents. A document that is
# replaced has a new time; one that was committed late, after a run had begun, changes the number too.
SOURCE_STATES = text(
    """
    SELECT sources.id,
           CAST((hashfloat8extended(date_part('epoch', sources.updated_at), 1)
                 + coalesce(sum(hashfloat8extended(date_part('epoch', documents.updated_at), 0)), 0))
                % 4611686018427387904 AS bigint)
    FROM sources
    LEFT JOIN documents ON documents.source_id = sources.id AND documents.updated_at <= :began
    WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
    GROUP BY sources.id ORDER BY sources.id
    """
)


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A succeeded run whose votes are carried over."""

    id: UUID
    began: datetime
    unchanged: frozenset[UUID]
    """Sources of both runs that have the documents that they had."""
    grown: frozenset[UUID]
    """Sources of both runs that have further documents, stored after the earlier run began."""
    whole: bool
    """Whether all votes on a query of both runs are those of these sources in the earlier one."""
    any_failed: bool
    """Whether it has readings that failed."""


def conditions(runtime: Runtime, parameters: EstimationParameters) -> bytes:
    """A digest of what votes depend on beside sources and queries. Raises `SettingsError` without a reader."""
    settings, reader = runtime.settings, runtime.require_reader()
    # Of questions in languages that the reader does not know.
    other = ChatReader(runtime.chat) if runtime.chat is not None else reader
    parts = (
        reader.name,
        reader.prompt_hash,
        other.name,
        other.prompt_hash,
        settings.reader,
        settings.reader_screened,
        runtime.embedder.name,
        settings.passages_per_source,
        settings.alignment_threshold,
        parameters.class_policy,
        READING_VERSION,
        KEYS_VERSION,
    )
    return digest(*map(str, parts))


async def source_states(session: AsyncSession, corpus: Corpus, began: datetime) -> dict[UUID, int]:
    """By active source, in the order of ids, a number that changes with the documents stored until `began`."""
    await session.execute(text(LONG_TIMEOUT))
    rows = await session.execute(SOURCE_STATES, {"corpus_id": corpus.id, "began": began})
    return dict(rows.all())


async def carry_from(session: AsyncSession, run: EstimationRun, corpus: Corpus) -> None:
    """Let a run carry over from the newest succeeded one of the corpus under its conditions, if there is one."""
    runs = select(EstimationRun.id, EstimationRun.started_at).where(
        EstimationRun.corpus_id == run.corpus_id,
        EstimationRun.status == RunStatus.SUCCEEDED,
        EstimationRun.conditions == run.conditions,
    )
    earlier = (await session.execute(runs.order_by(EstimationRun.id.desc()).limit(1))).one_or_none()
    if earlier is not None:
        states = await source_states(session, corpus, earlier.started_at)
        run.carried_from = earlier.id
        run.earlier_states = [states.get(source_id, 0) for source_id in run.source_ids or ()]


async def earlier_run(session: AsyncSession, run: EstimationRun) -> EarlierRun | None:
    """What the run carries over from; None where it reads everything."""
    if run.carried_from is None:
        return None
    states = EstimationRun.source_ids, EstimationRun.source_states, EstimationRun.earlier_states
    others = EstimationRun.started_at, EstimationRun.parameters, EstimationRun.readings_failed
    found = {
        row.id: row
        for row in await session.execute(
            select(EstimationRun.id, *states, *others).where(EstimationRun.id.in_([run.id, run.carried_from]))
        )
    }
    if run.carried_from not in found:
        return None
    rows = found[run.id], found[run.carried_from]
    now, before = (dict(zip(row.source_ids, row.source_states, strict=True)) for row in rows)
    given, given_before = (EstimationParameters.model_validate(row.parameters) for row in rows)
    without_new = zip(rows[0].source_ids, rows[0].earlier_states or rows[0].source_states, strict=True)
    same = frozenset(source_id for source_id, state in without_new if before.get(source_id) == state)
    unchanged = frozenset(source_id for source_id, state in now.items() if before.get(source_id) == state)
    selects = only_candidates(len(now), given.candidates_only)
    as_before = selects == only_candidates(len(before), given_before.candidates_only)
    by_source = not selects and not given.class_policy.joins_keys
    whole = as_before and (now == before or (by_source and len(unchanged) == len(now)))
    any_failed = rows[1].readings_failed > 0
    return EarlierRun(run.carried_from, rows[1].started_at, unchanged, same - unchanged, whole, any_failed)
