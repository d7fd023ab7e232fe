"""A corpus of many sources with two runs, written by Postgres itself: real rows, invented names and answers."""

import hashlib
import json
from dataclasses import dataclass
from uuid import UUID

import psycopg
from uuid_utils.compat import uuid7

from registry.estimations.store.votes import COUNT_CLASSES

QUERIES = 1_000
VOTES_EACH = 20
GROUPS = 5
GROUP_SIZE = 12
# Pseudo-random numbers in [0, 1) that depend on the names only.
_DRAW = "(('x' || substr(md5({}), 1, 7))::bit(28)::int / 268435456.0)"
_SOURCE = "md5('source ' || n)::uuid"
_QUERY = "md5('query ' || m)::uuid"
_STATEMENTS = (
    f"""INSERT INTO sources (id, corpus_id, external_id, name, description, attributes, status)
        SELECT {_SOURCE}, %(corpus)s, 'source-' || n, 'Source ' || lpad(n::text, 5, '0'), '', '{{}}', 'active'
        FROM generate_series(1, %(sources)s::int) AS n""",
    f"""INSERT INTO queries (id, corpus_id, external_id, text, attributes)
        SELECT {_QUERY}, %(corpus)s, 'query-' || m, 'What is the number of place ' || m || '?', '{{}}'
        FROM generate_series(0, {QUERIES - 1}) AS m""",
    """INSERT INTO estimations (id, corpus_id, trigger, status, parameters, method, queries_total, queries_collected,
                                sources_total, readings_made, readings_cached, readings_failed, votes_total, voices,
                                finished_at, number)
       SELECT id, %(corpus)s, 'http', 'succeeded', '{"method": "auto"}', 'one_coin', %(queries)s::int, %(queries)s::int,
              %(sources)s::int, %(sources)s::int * %(votes)s::int, 0, 0, %(sources)s::int * %(votes)s::int,
              %(voices)s::jsonb, now(), number
       FROM unnest(%(runs)s::uuid[]) WITH ORDINALITY AS run (id, number)""",
    f"""INSERT INTO estimation_sources (estimation_id, source_id, source_name, reliability, lower, upper, weight,
                                        vote_count, abstention_count, agreement_count, conflict_count, voice)
        SELECT run, {_SOURCE}, 'Source ' || lpad(n::text, 5, '0'), share, greatest(share - 0.1, 0),
               least(share + 0.1, 1), 1, %(votes)s::int, 0, round(share * %(votes)s::int), %(votes)s::int,
               CASE WHEN n <= {GROUPS * GROUP_SIZE} THEN (n - 1) / {GROUP_SIZE} END
        FROM generate_series(1, %(sources)s::int) AS n, unnest(%(runs)s::uuid[]) AS run,
             LATERAL (SELECT 0.3 + 0.65 * {_DRAW.format("run::text || n")} AS share) AS drawn""",
    f"""INSERT INTO estimation_queries (estimation_id, query_id, query_text, answer, margin, tied, vote_count)
        SELECT %(run)s, {_QUERY}, 'What is the number of place ' || m || '?', m::text, {_DRAW.format("'margin ' || m")},
               false, %(sources)s::int * %(votes)s::int / {QUERIES}
        FROM generate_series(0, {QUERIES - 1}) AS m""",
    f"""INSERT INTO votes (estimation_id, query_id, source_id, status, answer, answer_key, document_ids)
        SELECT %(run)s, {_QUERY}, {_SOURCE}, 'answered', answer, answer, '[]'
        FROM generate_series(1, %(sources)s::int) AS n, generate_series(0, %(votes)s::int - 1) AS k,
             LATERAL (SELECT (7 * n + k * {QUERIES} / %(votes)s::int) %% {QUERIES} AS m) AS asked,
             LATERAL (SELECT CASE WHEN {_DRAW.format("n || ' ' || k")} < 0.7 THEN m ELSE m + k %% 4 END::text AS answer)
                 AS given""",
)


@dataclass(frozen=True, slots=True)
class World:
    """What is linked from elsewhere."""

    run: UUID
    earlier: UUID
    source: UUID
    other: UUID
    query: UUID


def build(connection: "psycopg.Connection[tuple[object, ...]]", sources: int) -> World:
    """Fill the corpus `default`; each source votes on `VOTES_EACH` of `QUERIES` queries."""
    (corpus,) = connection.execute("SELECT id FROM corpora WHERE name = 'default'").fetchone() or (None,)
    runs = [uuid7(), uuid7()]
    ids = [_uuid(f"source {number}") for number in range(1, GROUPS * GROUP_SIZE + 1)]
    groups = [_group(ids[begin : begin + GROUP_SIZE]) for begin in range(0, len(ids), GROUP_SIZE)]
    parameters = {
        "corpus": corpus,
        "sources": sources,
        "votes": VOTES_EACH,
        "queries": QUERIES,
        "runs": runs,
        "run": runs[-1],
        "voices": json.dumps(groups),
    }
    with connection.transaction():
        for statement in (*_STATEMENTS, COUNT_CLASSES):
            connection.execute(statement.encode(), parameters)
    for table in ("sources", "estimations", "estimation_sources", "estimation_queries", "votes"):
        connection.execute(f"ANALYZE {table}".encode())
    return World(runs[-1], runs[0], ids[0], ids[1], _uuid("query 7"))


def _uuid(name: str) -> UUID:
    return UUID(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest())


def _group(members: list[UUID]) -> dict[str, object]:
    """A copy group in which every member copies the first one."""
    share = {"agreement": 0.9, "copied_share": 0.8}
    first, *others = map(str, members)
    links = [
        share | {"first_id": first, "second_id": other, "copier_id": other, "log_odds": 12.0 - place}
        for place, other in enumerate(others)
    ]
    names = [f"Member {place}" for place in range(len(members))]
    evidence = {"original_id": first, "log_odds": 12.0, "explained": 0.4, "shared_wrong": 5.0, "expected": 0.5}
    return share | evidence | {"source_ids": [first, *others], "source_names": names, "links": links}
