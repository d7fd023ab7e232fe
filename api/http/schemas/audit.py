"""The audit log."""

from typing import Any, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.platform.enums import ActorKind, AuditAction


class AuditEventView(View):
    """A change: who made it, when, from where, and what it replaced."""

    id: UUID = Field(description="Identifier.")
    created_at: Time = Field(description="When.")
    actor: ActorKind = Field(description="`browser` is a session begun with a key, `cli` the command line.")
    key_id: UUID | None = Field(description="The API key; null where none was needed.")
    key_name: str | None = Field(description="Its name at the time.", examples=["nightly import"])
    address: str | None = Field(description="The address that the request came from.", examples=["192.0.2.7"])
    request_id: str | None = Field(description="Identifier of the request, also in the log.")
    action: AuditAction = Field(description="What was done.")
    corpus_id: UUID | None = Field(description="The corpus; null where it concerns all.")
    resource_id: UUID = Field(description="Changed resource: the key, corpus, source, document, query or schedule.")
    before: dict[str, Any] | None = Field(description="Values that were replaced, texts cut at 200 characters.")
    after: dict[str, Any] | None = Field(description="Values that were set, likewise.")


AuditLog: TypeAlias = ListView[AuditEventView]
