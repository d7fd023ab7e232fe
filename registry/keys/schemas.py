"""API keys as callers send them."""

from enum import StrEnum
from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator, Field

from answering.parameters import Number
from registry.platform.fields import ExternalId, Input, Moment, Name, Result
from registry.viewers.schemas import Groups

# More than any service uses in a day, and exact as a double.
MAX_DAILY = 10**12
MAX_OVERLAP_SECONDS = 30 * 86_400


def _network(value: str) -> str:
    try:
        return str(ip_network(value.strip(), strict=False))
    except ValueError as error:
        raise ValueError("is no address or network, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32") from error


Network = Annotated[str, Field(max_length=50, examples=["10.0.0.0/8"]), AfterValidator(_network)]
# Sources that a key is bound to, none of which is no list.
BoundSources = Annotated[list[ExternalId], Field(min_length=1, max_length=1_000)]
Limit = Annotated[int, Field(ge=0, le=MAX_DAILY), Number]


class Scope(StrEnum):
    """A permission of a key; `admin` includes the others."""

    READ = "read"
    INGEST = "ingest"
    ASK = "ask"
    ADMIN = "admin"


# What keys with groups may have: others could make themselves a key without.
READING = (Scope.READ, Scope.ASK)


class QuotaInput(Input):
    """Quotas of a key or of a corpus; null is no limit."""

    daily_questions: Limit | None = None
    """Most questions from midnight to midnight UTC."""
    max_documents: Limit | None = None
    """Most documents that are stored at once."""
    max_stored_bytes: Limit | None = None
    """Most bytes of their texts in UTF-8."""


class KeyLimits(QuotaInput):
    """Quotas and daily limits of a key."""

    daily_model_calls: Limit | None = None
    """Most calls of language models from midnight to midnight UTC; null is no limit."""
    daily_tokens: Limit | None = None
    """Most tokens of these calls, input and output; exceeded at most by the calls in progress. Null is no limit."""
    requests_per_minute: Limit | None = None
    """Most requests a minute, of which a fiftieth may be imports; null, or more than that, is
    `CREDENCE_REQUESTS_PER_MINUTE`."""


class KeyRights(KeyLimits):
    """Limits of a key, the sources that it is bound to, and the groups whose documents it sees."""

    sources: BoundSources | None = None
    """A source that it may make and send documents of, with others in the list: by external id, id or name. Null, with
    no prefix, is every source. Needs the scope `ingest`, without `admin`."""
    source_prefix: ExternalId | None = None
    """Prefix of the external ids of more such sources; null: none."""
    groups: Groups | None = None
    """A group whose documents it sees, with others in the list, beside documents for everybody. Null: it sees
    everything. A key with groups reads and asks, and has no other scope."""


class KeyInput(KeyRights):
    """A new key."""

    name: Name
    """Whose key it is, or what it is for."""
    scopes: frozenset[Scope] = Field(min_length=1)
    """Its permissions."""
    expires_at: Moment | None = None
    """Time of expiry; null: never."""
    allowed_addresses: list[Network] = Field(default=[], max_length=100)
    """Addresses and networks from which it may be used; empty is from everywhere."""


class KeyPatch(KeyRights):
    """Fields of a key to change; those left out stay, and null removes a limit."""

    name: Name | None = None
    """Whose key it is, or what it is for."""
    expires_at: Moment | None = None
    """Time of expiry; null: never."""
    allowed_addresses: list[Network] | None = Field(default=None, max_length=100)
    """Addresses and networks from which it may be used; empty or null is from everywhere."""

    def changes(self) -> dict[str, object]:
        """The values of the fields that were sent."""
        sent = self.model_dump(exclude_unset=True)
        if self.name is None:
            sent.pop("name", None)
        if "allowed_addresses" in sent:
            sent["allowed_addresses"] = self.allowed_addresses or []
        return sent


class RotationInput(Input):
    """The rotation of the secret of a key."""

    overlap_seconds: Annotated[int, Field(ge=0, le=MAX_OVERLAP_SECONDS), Number] = 86_400
    """Seconds for which the old secret stays valid beside the new one."""


class Spending(Result):
    """The spending of a key today."""

    model_calls: int = 0
    """Calls."""
    tokens: int = 0
    """Tokens read and written."""
    questions: int = 0
    """Questions, counted where they have a limit."""


class Stored(Result):
    """The storage that a key or a corpus uses."""

    documents: int
    """Documents."""
    bytes: int
    """Bytes of their texts, titles and attributes in UTF-8, with those of former revisions that are kept."""
