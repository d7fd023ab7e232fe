"""API keys in a browser: listed with their use, made, limited, given a new secret, revoked."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, BeforeValidator, Field

from api.http.dependencies import CorpusAccess, PageParameters
from api.http.routes import keys
from api.http.routes.keys import KeyId, Owner
from api.pages.rendering import address, page
from api.pages.visitors import page_router, tell_once, told_once
from registry.keys.schemas import (
    MAX_DAILY,
    MAX_OVERLAP_SECONDS,
    BoundSources,
    KeyInput,
    KeyLimits,
    KeyPatch,
    Network,
    RotationInput,
    Scope,
)
from registry.platform.fields import ExternalId, Name

of_corpus = page_router("/corpora/{corpus}/keys")
of_operators = page_router("/operations/keys")

OVERLAPS = {0: "at once", 3_600: "in an hour", 86_400: "in a day", 7 * 86_400: "in a week"}
LIMITS = {
    "requests_per_minute": "Requests a minute",
    "daily_questions": "Questions a day",
    "daily_model_calls": "Calls of language models a day",
    "daily_tokens": "Tokens a day",
    "max_documents": "Documents stored",
    "max_stored_bytes": "Bytes stored",
}


def _parts(values: list[str]) -> list[str]:
    return [part for value in values for part in re.split(r"[\s,;]+", value) if part]


def _lines(values: list[str]) -> list[str] | None:
    return [line.strip() for value in values for line in value.splitlines() if line.strip()] or None


# Forms send numbers as text.
Quota = Annotated[int | None, Field(ge=0, le=MAX_DAILY)]


class LimitsForm(BaseModel):
    """The limits of a key in a form: addresses, sources and amounts; an empty field is no limit."""

    addresses: Annotated[list[Network], Field(max_length=100), BeforeValidator(_parts)] = []
    sources: Annotated[BoundSources | None, BeforeValidator(_lines)] = None
    source_prefix: Annotated[ExternalId | None, BeforeValidator(lambda value: value or None)] = None
    requests_per_minute: Quota = None
    daily_questions: Quota = None
    daily_model_calls: Quota = None
    daily_tokens: Quota = None
    max_documents: Quota = None
    max_stored_bytes: Quota = None

    @property
    def patch(self) -> KeyPatch:
        """The change that makes these the limits of a key."""
        return KeyPatch(allowed_addresses=self.addresses, **self.bound, **self.limits)

    @property
    def bound(self) -> dict[str, Any]:
        """The sources that the key is bound to."""
        return {"sources": self.sources, "source_prefix": self.source_prefix}

    @property
    def limits(self) -> dict[str, int | None]:
        """The fields that `KeyLimits` has too."""
        return {name: getattr(self, name) for name in KeyLimits.model_fields}


class KeyForm(LimitsForm):
    """The fields of a new key as a form has them."""

    name: Name
    scopes: list[Scope] = Field(min_length=1)
    days: Annotated[int | None, Field(ge=1, le=36_500)] = None
    """Days until it expires; None is never."""

    @property
    def values(self) -> KeyInput:
        """The key."""
        expires_at = None if self.days is None else datetime.now(UTC) + timedelta(days=self.days)
        return KeyInput(
            name=self.name,
            scopes=frozenset(self.scopes),
            expires_at=expires_at,
            allowed_addresses=self.addresses,
            **self.bound,
            **self.limits,
        )


NewKey = Annotated[KeyForm, Form()]
Limits = Annotated[LimitsForm, Form()]
Overlap = Annotated[int, Form(ge=0, le=MAX_OVERLAP_SECONDS)]


def _here(owner: Owner) -> str:
    corpus = _corpus(owner)
    return address("operations", "keys") if corpus is None else address("corpora", corpus, "keys")


def _corpus(owner: Owner) -> str | None:
    return owner.corpus_name if isinstance(owner, CorpusAccess) else None


@of_corpus.get("")
@of_operators.get("")
async def show_keys(request: Request, owner: Owner, paging: PageParameters) -> Response:
    """The keys of a corpus or of the operators, the form that makes one, and a secret that was just made."""
    return page(
        request,
        "service/keys.html",
        corpus=_corpus(owner),
        here=_here(owner),
        keys=await keys.list_keys(owner, paging),
        new=told_once(request).partition(" "),
        scopes=list(Scope),
        overlaps=OVERLAPS,
        limits=LIMITS,
        most_requests=owner.runtime.settings.requests_per_minute,
    )


@of_corpus.post("")
@of_operators.post("")
async def create_key(request: Request, owner: Owner, form: NewKey) -> Response:
    """Make a key and show its secret, this once."""
    new = await keys.create_key(form.values, owner, Response())
    return tell_once(request, _here(owner), f"{new.secret} {new.name}", "#made")


@of_corpus.post("/{key_id}/secrets")
@of_operators.post("/{key_id}/secrets")
async def rotate_key(request: Request, owner: Owner, key_id: KeyId, overlap_seconds: Overlap) -> Response:
    """Give a key a new secret and show that, this once."""
    rotation = RotationInput(overlap_seconds=overlap_seconds)
    new = await keys.rotate_key(rotation, owner, key_id, Response())
    return tell_once(request, _here(owner), f"{new.secret} {new.name}", "#made")


@of_corpus.post("/{key_id}/limits")
@of_operators.post("/{key_id}/limits")
async def limit_key(owner: Owner, key_id: KeyId, form: Limits) -> Response:
    """Change from where a key may be used, for which sources, and how much."""
    await keys.update_key(form.patch, owner, key_id)
    return RedirectResponse(f"{_here(owner)}#keys", 303)


@of_corpus.post("/{key_id}/revoke")
@of_operators.post("/{key_id}/revoke")
async def revoke_key(owner: Owner, key_id: KeyId) -> Response:
    """Make a key invalid."""
    await keys.revoke_key(owner, key_id)
    return RedirectResponse(f"{_here(owner)}#keys", 303)
