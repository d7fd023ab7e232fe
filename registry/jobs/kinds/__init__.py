"""The kinds of job, one module a kind."""

from registry.jobs.kind import JobKind
from registry.jobs.kinds import answer, connector, estimation, reading

KINDS: list[JobKind] = [answer.KIND, estimation.KIND, reading.KIND, connector.KIND]
