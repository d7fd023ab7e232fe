"""A concept of a bundle of the Open Knowledge Format: its front matter, and which of its text each source says."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import yaml

from registry.platform.errors import FetchFailed, Unreadable

MAX_FRONT_MATTER = 64 * 1024
_FRONT: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FOOTNOTE: Final = re.compile(r"(?<![ \t])[ \t]*\[\^([^\]\s]{1,200})\]")
_DEFINITION: Final = re.compile(r"^\[\^[^\]\s]{1,200}\]:.*$", re.MULTILINE)
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
# Each line of a list or a table is a statement of its own.
_LINE: Final = re.compile(r"^\s*([-*+|]|\d+[.)])")
# The line between the head of a table and its rows.
_RULE: Final = re.compile(r"\s*\|(?=[^-]*-)[\s:|-]+")
# Where version 0.1 lists what backs a concept, each with a number or none.
_CITATIONS: Final = re.compile(
    r"^#{1,6}[ \t]+Citations[ \t]*$\n(.*?)(?=^#|\Z)", re.MULTILINE | re.IGNORECASE | re.DOTALL
)
_CITATION: Final = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:\[(\d{1,3})\]:?[ \t]+)?(?:\[([^\]]{1,500})\]\(([^)\s]{1,2000})\)|<?(https?://[^\s>]{1,2000})>?)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Concept:
    """Front matter and text."""

    fields: Mapping[str, Any]
    body: str
    citations: tuple[Mapping[str, Any], ...] = ()
    """What version 0.1 names at the end of the text, as entries of `sources`."""

    @property
    def entries(self) -> list[Mapping[str, Any]]:
        """Its `sources`, or in version 0.1 what it cites."""
        return mappings(self.fields, "sources") or list(self.citations)

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
    body = text[found.end() :]
    return Concept(fields, body) if fields.get("sources") else _of_version_1(fields, body)


def _of_version_1(fields: Mapping[str, Any], body: str) -> Concept:
    """A concept without `sources`, whose text may list what it cites, and refer to it as `[1]`."""
    listed = [
        {"id": number, "title": title, "resource": resource or address}
        for section in _CITATIONS.findall(body)
        for number, title, resource, address in _CITATION.findall(section)
    ]
    body = _CITATIONS.sub("", body) if listed else body
    if numbers := "|".join(each["id"] for each in listed if each["id"]):
        body = re.sub(rf"(?<![\w\])])\[({numbers})\](?![(\[:])", r"[^\1]", body)
    return Concept(fields, body, tuple(listed))


def mappings(fields: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The mappings that a field lists, of which a bare one is a list of its own; `sources` need a resource."""
    value = fields.get(name)
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, Mapping) and (name != "sources" or each.get("resource"))]


def statements(concept: Concept, sources: Collection[str]) -> dict[str | None, str]:
    """What each source says, by its key, and what none is cited for, by None, each with the headings above it.

    A statement is a paragraph, or a line of a list or table; its footnotes cite sources. A concept that cites none and
    derives from one source says what that source does.
    """
    said: defaultdict[str | None, _Said] = defaultdict(_Said)
    heading = head = ""
    for unit, after in pairwise([concept.text("description"), *_units(_DEFINITION.sub("", concept.body)), ""]):
        is_line = bool(_LINE.match(unit))
        if unit.startswith("#"):
            heading, head = unit, ""
        elif is_line and _RULE.fullmatch(after):
            head = f"{unit}\n{after}\n"
        elif not _RULE.fullmatch(unit):
            head = head if is_line else ""
            cited = [each for each in _FOOTNOTE.findall(unit) if each in sources] or [None]
            if text := _FOOTNOTE.sub("", unit).strip():
                for each in dict.fromkeys(cited):
                    said[each].add(text, heading, head, is_line=is_line)
    if len(sources) == 1 and said.keys() == {None} and not concept.citations:
        said[next(iter(sources))] = said.pop(None)
    return {each: texts.text.strip() for each, texts in said.items()}


@dataclass(slots=True)
class _Said:
    """What a source says, each statement below the heading and the head of the table that it stands under."""

    text: str = ""
    _above: tuple[str, str] = ("", "")
    _ends_in_line: bool = False

    def add(self, unit: str, heading: str, head: str, *, is_line: bool) -> None:
        """Add a statement; lines of one list or table stay together."""
        is_next = is_line and self._ends_in_line and self._above == (heading, head)
        if heading != self._above[0]:
            self.text += f"\n\n{heading}"
        self.text += f"\n{unit}" if is_next else f"\n\n{head}{unit}"
        self._above, self._ends_in_line = (heading, head), is_line


def _units(body: str) -> Iterator[str]:
    """Headings, paragraphs, fenced blocks, and lines of lists and tables."""
    block: list[str] = []
    is_fenced = False
    for line in [*body.splitlines(), ""]:
        is_fence = bool(_FENCE.match(line))
        begins = not is_fenced and (not line.strip() or line.startswith("#") or _LINE.match(line) or is_fence)
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
