"""A concept of a bundle of the Open Knowledge Format: its front matter, and which of its text each source says."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from registry.platform.errors import FetchFailed, Unreadable

MAX_FRONT_MATTER = 64 * 1024
_FRONT: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FOOTNOTE: Final = re.compile(r"\[\^([^\]\s]{1,200})\]")
_DEFINITION: Final = re.compile(r"^\[\^[^\]\s]{1,200}\]:.*$", re.MULTILINE)
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
# Each line of a list or a table is a statement of its own.
_ITEM: Final = re.compile(r"^\s*([-*+|]|\d+[.)])")


@dataclass(frozen=True, slots=True)
class Concept:
    """Front matter and text."""

    fields: Mapping[str, Any]
    body: str

    def text(self, *path: str) -> str:
        """A field as text; empty where there is none."""
        value: object = self.fields
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return "" if value is None or isinstance(value, Mapping | list) else str(value)[:2_000]

    @property
    def trust(self) -> str:
        """The trust tier of section 5.3."""
        by = [str(each.get("by", "")) for each in mappings(self.fields, "verified")]
        if not by:
            return "unverified"
        return "human-reviewed" if any(each.startswith("human:") for each in by) else "machine-confirmed"


def concept_of(text: str) -> Concept:
    """The concept that a file is; raises `FetchFailed` where its front matter is none, or names no type."""
    found = _FRONT.match(text)
    if found is None:
        raise FetchFailed("It does not begin with front matter between lines of `---`.")
    if len(found[1]) > MAX_FRONT_MATTER:
        raise Unreadable(f"Its front matter is longer than {MAX_FRONT_MATTER:,} characters.")
    try:
        fields = yaml.safe_load(found[1])
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise FetchFailed(f"Its front matter is no YAML: {error}") from error
    if not isinstance(fields, dict) or not fields.get("type"):
        raise FetchFailed("Its front matter names no `type`.")
    return Concept(fields, text[found.end() :])


def mappings(fields: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The mappings that a field lists, of which a bare one is a list of its own; `sources` need a resource."""
    value = fields.get(name)
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, Mapping) and (name != "sources" or each.get("resource"))]


def statements(concept: Concept, sources: Collection[str]) -> dict[str | None, str]:
    """What each source says, by its key, and what none is cited for, by None, each with the headings above it.

    A statement is a paragraph, or a line of a list or table; its footnotes cite sources. A concept that cites none and
    has one source says what that source does.
    """
    said: dict[str | None, list[str]] = {}
    headings: dict[str | None, str] = {}
    heading = ""
    for unit in [concept.text("description"), *_units(_DEFINITION.sub("", concept.body))]:
        if unit.startswith("#"):
            heading = unit
            continue
        cited = [each for each in _FOOTNOTE.findall(unit) if each in sources] or [None]
        if text := _FOOTNOTE.sub("", unit).strip():
            for each in dict.fromkeys(cited):
                if heading and headings.get(each) != heading:
                    said.setdefault(each, []).append(heading)
                    headings[each] = heading
                said.setdefault(each, []).append(text)
    if len(sources) == 1 and said.keys() == {None}:
        said = {next(iter(sources)): said[None]}
    return {each: "\n\n".join(units) for each, units in said.items()}


def _units(body: str) -> Iterator[str]:
    """Headings, paragraphs, fenced blocks, and lines of lists and tables."""
    block: list[str] = []
    is_fenced = False
    for line in [*body.splitlines(), ""]:
        is_fence = bool(_FENCE.match(line))
        begins = not is_fenced and (not line.strip() or line.startswith("#") or _ITEM.match(line) or is_fence)
        if begins and block:
            yield "\n".join(block).strip()
            block = []
        if is_fence:
            is_fenced = not is_fenced
        if line.strip() or is_fenced:
            block.append(line)
        if block and not is_fenced and (is_fence or line.startswith("#")):
            yield "\n".join(block).strip()
            block = []
    if block:
        yield "\n".join(block).strip()
