"""The job that sends an event to a webhook."""

from registry.job_kind import JobKind
from registry.webhooks import service as webhooks
from registry.webhooks import store

KIND = JobKind(
    job=webhooks.JOB,
    summary="Sends an event to a webhook, again after a while where it does not arrive.",
    run=webhooks.send,
    unfinished=store.UNFINISHED,
    give_up=webhooks.give_up,
)
