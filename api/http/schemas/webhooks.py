"""Webhooks, without their secrets except in the response that makes one."""

from typing import Any, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.webhooks.schemas import DeliveryStatus, WebhookEvent


class WebhookView(View):
    """An address that is told of events."""

    id: UUID = Field(description="Identifier.")
    url: str = Field(description="Address to which events are sent.", examples=["https://hooks.example/credence"])
    events: list[WebhookEvent] = Field(description="Events that are sent.")
    enabled: bool = Field(description="Whether it is told anything.")
    disabled_because: str | None = Field(
        description="Why the service switched it off; null while it is on, and where a person did."
    )
    failing_since: Time | None = Field(description="The first failure since the last success; null if none.")
    created_at: Time = Field(description="When it was made.")
    updated_at: Time = Field(description="When it was last changed.")


class NewWebhookView(WebhookView):
    """A new webhook, with its secret."""

    secret: str = Field(
        description="Secret that signs its events. It is shown only once.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
    )


WebhookList: TypeAlias = ListView[WebhookView]


class DeliveryView(View):
    """An event for a webhook, and whether it arrived."""

    id: UUID = Field(description="Identifier, the same in every attempt: the header `webhook-id`.")
    type: str = Field(description="The event.", examples=["estimation.succeeded"])
    data: dict[str, Any] = Field(description="What it says.")
    status: DeliveryStatus = Field(description="Whether it arrived.")
    attempts: int = Field(description="How often it was sent.")
    next_attempt_at: Time | None = Field(description="When it is sent next; null once it is over.")
    problem: str | None = Field(
        description="Why the last attempt failed; null if it did not.", examples=["The server answers 500."]
    )
    created_at: Time = Field(description="When it happened.")
    finished_at: Time | None = Field(description="When it arrived or was given up; null before.")


DeliveryList: TypeAlias = ListView[DeliveryView]
