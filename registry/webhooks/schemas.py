"""Webhooks as callers send them, and the events that there are."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from registry.platform.addresses import WebAddress
from registry.platform.fields import Input


class WebhookEvent(StrEnum):
    """An event that a webhook can be sent."""

    ESTIMATION_SUCCEEDED = "estimation.succeeded"
    """A run ended with an estimate."""
    ESTIMATION_FAILED = "estimation.failed"
    """A run ended without one."""
    SOURCE_TURNED = "source.turned"
    """A run found sources that turned or fell since the run before."""
    COPY_GROUP_FOUND = "copy_group.found"
    """A run found sources that copy each other, which the run before had not found."""
    DISPUTE_FOUND = "dispute.found"
    """An import found that other sources contradict a new document."""


class DeliveryStatus(StrEnum):
    """Whether an event reached its webhook."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


def _each_once(events: list[WebhookEvent]) -> list[WebhookEvent]:
    return sorted(set(events))


Events = Annotated[list[WebhookEvent], Field(min_length=1, max_length=len(WebhookEvent)), AfterValidator(_each_once)]


class WebhookInput(Input):
    """A new webhook."""

    url: WebAddress
    """Address to which events are sent with POST."""
    events: Events = Field(default_factory=lambda: list(WebhookEvent))
    """Events to send; all if left out."""


class WebhookPatch(Input):
    """Fields to change; those left out stay."""

    url: WebAddress | None = None
    """Address to which events are sent with POST."""
    events: Events | None = None
    """Events to send."""
    enabled: bool | None = None
    """Whether it is told anything; true switches it on again, also where the service had switched it off."""
