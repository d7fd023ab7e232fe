"""The kinds of job: each noun brings its own."""

from registry.answers import jobs as answers
from registry.connectors import jobs as connectors
from registry.estimations import jobs as estimations
from registry.job_kind import JobKind
from registry.query_generations import jobs as query_generations
from registry.webhooks import jobs as webhooks

KINDS: list[JobKind] = [
    answers.KIND,
    estimations.KIND,
    estimations.READING_KIND,
    connectors.KIND,
    query_generations.KIND,
    webhooks.KIND,
]
