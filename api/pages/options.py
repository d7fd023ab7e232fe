"""Options of a model as fields of a form, from its JSON schema, and what the form sends as their values."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import get_annotations
from typing import Any, Literal, TypeAlias

from markupsafe import Markup, escape
from pydantic import BaseModel
from pydantic_core import from_json

from registry.platform.errors import InvalidInput

FieldKind: TypeAlias = Literal["tick", "choice", "number", "text", "lines", "pairs", "json"]
"""How an option is filled in: `lines` are texts, one a line; `pairs` are `name = text` a line, or an object of JSON."""
_KINDS: Mapping[tuple[str, str | None], FieldKind] = {
    ("boolean", None): "tick",
    ("integer", None): "number",
    ("number", None): "number",
    ("string", None): "text",
    ("array", "string"): "lines",
    ("object", "string"): "pairs",
}


@dataclass(frozen=True, slots=True)
class Option:
    """A field of a model; `schema` is that of its values, without null: that is an empty field."""

    name: str
    label: str
    hint: Markup
    default: object
    is_required: bool
    schema: Mapping[str, Any]

    @property
    def kind(self) -> FieldKind:
        """How it is filled in: as JSON only what is neither a text, a number, nor lines or pairs of texts."""
        if "enum" in self.schema:
            return "choice"
        inner = self.schema.get("items") or self.schema.get("additionalProperties") or {}
        inner_type = inner.get("type") if isinstance(inner, Mapping) else None
        return _KINDS.get((self.schema.get("type", ""), inner_type), "json")

    def text(self, value: Any) -> str:  # noqa: ANN401  (of any type)
        """A value as the field shows it."""
        if value is None or isinstance(value, str):
            return value or ""
        if self.kind == "lines":
            return "\n".join(value)
        if self.kind == "pairs":
            lines = "\n".join(f"{name} = {text}" for name, text in value.items())
            if "\n{" not in f"\n{lines}" and _pairs(lines) == value:
                return lines
        return json.dumps(value, ensure_ascii=False)

    def value(self, text: str) -> Any:  # noqa: ANN401  (of any type)
        """What was filled in, for the model to validate; raises `InvalidInput` where it is not of the form."""
        kind = self.kind
        try:
            if kind == "pairs" and not text.startswith("{"):
                if not all("=" in line for line in text.splitlines() if line.strip()):
                    raise ValueError("write `name = value` on each line")
                return _pairs(text)
            if text and kind in {"pairs", "json"}:
                return from_json(text)
        except ValueError as error:
            raise InvalidInput(f"{self.label}: {error}.", field=self.name) from error
        if kind == "lines":
            return [line.strip() for line in text.splitlines() if line.strip()]
        return bool(text) if kind == "tick" else text


def options_of(model: type[BaseModel]) -> tuple[Option, ...]:
    """The options of a model, those of its bases last."""
    schema, own = model.model_json_schema(), get_annotations(model)
    found = []
    for name, field in schema["properties"].items():
        (values, *others) = (one for one in field.get("anyOf", [field]) if one.get("type") != "null")
        if "$ref" in values:
            values = schema["$defs"][values["$ref"].rpartition("/")[2]]
        hint = re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(field.get("description", ""))))
        found.append(
            Option(
                name,
                field.get("title", name).replace("_", " ").capitalize(),
                Markup(hint),  # noqa: S704  (escaped above)
                field.get("default"),
                name in schema.get("required", ()),
                {} if others else values,
            )
        )
    return tuple(sorted(found, key=lambda option: option.name not in own))


def sent_options(model: type[BaseModel], form: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a form, without those that are empty or as they are anyway, for the model to validate."""
    sent = [(option, option.value(str(form.get(option.name, "")).strip())) for option in options_of(model)]
    return {option.name: value for option, value in sent if value not in ("", [], {}, option.default)}


def _pairs(lines: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in lines.splitlines() if line.strip())
    return {name.strip(): text.strip() for name, _, text in pairs}
