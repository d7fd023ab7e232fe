"""Types of the fields that callers send: bounded, and such that Postgres can store them."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)

from answering.parameters import Parameters
from registry.platform.errors import SettingsError

if TYPE_CHECKING:
    from registry.platform.settings import Settings


MAX_JSON_CHARACTERS = 65_536
MAX_JSON_DEPTH = 20
LARGEST_INTEGER = 10**100
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # the characters of the Unicode category Cc
DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")


def storable_text(value: str) -> str:
    """The text unchanged; raises ValueError if Postgres cannot store it."""
    if "\x00" in value:
        raise ValueError("contains a NUL character, which cannot be stored; remove it")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("contains half of a surrogate pair, which is no character; remove it") from error
    return value


def storable(text: str) -> str:
    """The text as Postgres can hold it: a model may reply with NUL or half a surrogate pair."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def is_storable(value: str) -> bool:
    """Whether Postgres can store the text."""
    try:
        storable_text(value)
    except ValueError:
        return False
    return True


def _one_line(value: str) -> str:
    if CONTROL.search(value):
        raise ValueError("contains a control character, such as a line break; remove it")
    return value


def _rfc_3339(value: object) -> object:
    if isinstance(value, str) and DATE.fullmatch(value):
        return f"{value}T00:00:00Z"
    # pydantic alone would also accept a number, as seconds since 1970.
    if isinstance(value, datetime) or (isinstance(value, str) and DATE_AND_TIME.match(value)):
        return value
    raise ValueError("is neither a date (2026-11-21) nor a datetime as RFC 3339 writes it (2026-11-21T05:00:00Z)")


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("lies outside of the years 1 to 9999 in UTC") from error


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def _web_address(value: str) -> str:
    """Links are shown to people, so that a link that runs a script or opens a file is refused."""
    if value and not value.lower().startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    return value


def _storable_json(value: dict[str, Any]) -> dict[str, Any]:
    _check_json(value, 0)
    if len(json.dumps(value)) > MAX_JSON_CHARACTERS:
        raise ValueError(f"is longer than {MAX_JSON_CHARACTERS} characters of JSON")
    return value


def _check_json(value: object, depth: int) -> None:
    if depth > MAX_JSON_DEPTH:
        raise ValueError(f"is nested more than {MAX_JSON_DEPTH} levels deep")
    if isinstance(value, str):
        storable_text(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("contains a number that is not finite, which JSON does not have")
    elif isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise ValueError("contains an integer of more than 100 digits; send it as a string")
    elif isinstance(value, dict):
        for key, inner in value.items():
            storable_text(str(key))
            _check_json(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_json(inner, depth + 1)


Storable = AfterValidator(storable_text)
NotBlank = AfterValidator(_not_blank)
OneLine = AfterValidator(_one_line)
Name = Annotated[str, Field(min_length=1, max_length=200), Storable, NotBlank, OneLine]
ExternalId = Annotated[str, Field(min_length=1, max_length=500), Storable, NotBlank, OneLine]
Reason = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
Description = Annotated[str, Field(max_length=10_000), Storable]
Title = Annotated[str, Field(max_length=2_000), Storable]
Url = Annotated[
    str,
    Field(max_length=2_000, json_schema_extra={"pattern": "^($|[hH][tT][tT][pP][sS]?://)"}),
    Storable,
    OneLine,
    AfterValidator(_web_address),
]
Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_rfc_3339),
    AfterValidator(_in_utc),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]}),
]
Question = Annotated[str, Field(min_length=1, max_length=10_000), Storable, NotBlank]
QUESTION: TypeAdapter[str] = TypeAdapter(Question)
Attributes = Annotated[dict[str, Any], AfterValidator(_storable_json)]


class Input(Parameters):
    """Base of what callers send."""


PASSAGES = 3
"""Passages in a reading (section 5)."""


class PaperSwitch(Parameters):
    """Parameters with a field `paper`, with which some have another default."""

    as_in_paper: ClassVar[Mapping[str, Any]] = {}
    """These, by name."""

    @model_validator(mode="before")
    @classmethod
    def _take_from_paper(cls, values: Any) -> Any:  # noqa: ANN401  (input)
        is_wanted = isinstance(values, Mapping) and values.get("paper") is True
        return {**cls.as_in_paper, **values} if is_wanted else values


def require_settings_of_paper(settings: "Settings") -> None:
    """Raises `SettingsError` if sources are not read as in the paper."""
    if settings.passages_per_source != PASSAGES:
        raise SettingsError(
            f"paper needs CREDENCE_PASSAGES_PER_SOURCE={PASSAGES}, as in RA-RAG; it is {settings.passages_per_source}. "
            "Set it, or leave paper out."
        )


Score = Annotated[float, Field(ge=0, le=1)]
Time = Annotated[datetime, AfterValidator(lambda time: time.astimezone(UTC))]


class Result(BaseModel):
    """A frozen result, or a part of one; the docstrings of its fields describe them in the HTTP schema."""

    model_config = ConfigDict(frozen=True, from_attributes=True, use_attribute_docstrings=True)


CONCEPT: Final = "okf_concept"
"""The attribute with the id of the concept."""
ENTRY: Final = "okf_source"
"""The attribute with the id, or else the resource, of the entry of the concept's `sources` that says it."""
