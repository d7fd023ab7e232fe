"""The kinds of job, one module a kind."""

from registry.jobs.kind import JobKind
from registry.jobs.kinds import answer, connector, estimation, query_generation, reading

KINDS: list[JobKind] = [
    answer.KIND,
    estimation.KIND,
    reading.KIND,
    connector.KIND,
    query_generation.KIND,
]
