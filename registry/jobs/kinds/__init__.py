"""The kinds of job, one module a kind."""

from registry.jobs.kind import JobKind
from registry.jobs.kinds import answer, estimation

KINDS: list[JobKind] = [answer.KIND, estimation.KIND]
