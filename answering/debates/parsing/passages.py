"""Replies of Astute RAG: passages from memory, groups of documents that agree, and the answers of such groups."""

import re
from dataclasses import dataclass

from answering.debates.parsing.answers import MAX_ANSWERS, list_items
from answering.debates.parsing.replies import MARKS, label, refuses, short_answer, short_answers, unwrapped
from answering.debates.quoting import sanitized
from answering.errors import UnreadableReply

MAX_PASSAGE_CHARACTERS = 1_500
MIN_PASSAGE_WORDS = 4
MAX_GROUPS = 20
MAX_GROUP_CHARACTERS = 1_500
_HEADING = re.compile(
    rf"^{MARKS}(?:(?:passage|document)[ \t]*\d*[*_]*[ \t]*[:.)]|\d{{1,2}}[.)])[*_]*[ \t]*", re.IGNORECASE | re.MULTILINE
)
# Placeholders that prompts show or once showed, which small models copy.
_PLACEHOLDER = re.compile(
    r"(?:(?:what|the (?:right )?answer of) documents? [\d, and]+(?:says?)?|(?:the|another) right answer)\W*",
    re.IGNORECASE,
)
_GROUP = re.compile(
    rf"^{MARKS}(?:\d{{1,2}}[.)][ \t]*)?(?:group[ \t]*\d*[*_: \t]*)?(?:documents?[ \t]*)?"
    r"[\[(](?:documents?[ \t]*)?(?P<numbers>\d{1,3}(?:[ \t]*(?:,|and|&)[ \t]*\d{1,3})*)[\])]"
    r"[*_]*[ \t]*[:\-][*_]*[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_FINAL = label("(?:the )?final(?: answers?)?|(?:all )?(?:correct )?answers?")
_CONFIDENCE = re.compile(
    r"[ \t]*[(\[|,;\-]*[ \t]*(?:confidence[ \t]*[:=]?[ \t]*)?(?P<percent>\d{1,3})[ \t]*%?[ \t]*[)\]]?[ \t]*\.?[ \t]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers of documents, from 1, and what they say together."""

    documents: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class GroupAnswer:
    """The answer of a group, None where it has none, and the model's confidence in [0, 1]."""

    documents: tuple[int, ...]
    answer: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class GroupAnswers:
    """The answer of each group, and the final answers; `final` is None where the reply has no line for them."""

    groups: tuple[GroupAnswer, ...]
    final: tuple[str, ...] | None


def parse_passages(reply: str, max_passages: int) -> tuple[str, ...] | None:
    """The passages after `Passage 1:`, `Passage 2:`, ..., or the whole reply; none where the model does not know.

    Passages beyond the first `max_passages` are left out, and so are those that say nothing.
    """
    text = unwrapped(reply)
    if not text:
        return None
    parts = [part for part in _HEADING.split(text) if part.strip()]
    passages = [sanitized(part, MAX_PASSAGE_CHARACTERS) for part in parts if not _says_nothing(part)]
    return tuple(passages[:max_passages])


def _says_nothing(part: str) -> bool:
    first = re.split(r"(?<=[.!?])\s", part.strip(), maxsplit=1)[0]
    return len(part.split()) < MIN_PASSAGE_WORDS or refuses(first) or "don't know" in first.lower()


def parse_groups(reply: str, documents: int) -> tuple[Group, ...] | None:
    """Lines `[1, 3]: what they say`, without numbers above `documents` and without groups that have no other number."""
    text = unwrapped(reply)
    matches = list(_GROUP.finditer(text))
    if not matches or len(matches) > MAX_GROUPS:
        return None
    ends = [match.start() for match in matches[1:]] + [len(text)]
    groups = [
        Group(_numbers(match, documents), sanitized(text[match.end() : end].strip(), MAX_GROUP_CHARACTERS))
        for match, end in zip(matches, ends, strict=True)
    ]
    return tuple(group for group in groups if group.documents and _has_content(group.text)) or None


def _has_content(text: str) -> bool:
    return bool(text) and _PLACEHOLDER.fullmatch(_CONFIDENCE.sub("", text)) is None


def _numbers(match: re.Match[str], documents: int) -> tuple[int, ...]:
    numbers = dict.fromkeys(map(int, re.findall(r"\d+", match["numbers"])))
    return tuple(number for number in numbers if 1 <= number <= documents)


def parse_group_answers(reply: str, documents: int) -> GroupAnswers | None:
    """Lines `[1, 3]: answer (confidence)` and a line `Final: answer; another`; one of both is enough."""
    text = unwrapped(reply)
    labels = list(_FINAL.finditer(text))
    before, after = (text[: labels[-1].start()], text[labels[-1].end() :]) if labels else (text, None)
    final = None if after is None else _final_answers(after)
    answers = [_group_answer(group) for group in parse_groups(before, documents) or ()]
    groups = tuple(answer for answer in answers if answer is not None)
    return GroupAnswers(groups, final) if groups or final is not None else None


def _group_answer(group: Group) -> GroupAnswer | None:
    match = _CONFIDENCE.search(group.text)
    # "1987" after a dash is an answer, not a confidence: something must be left before it.
    if match and (not group.text[: match.start()].strip() or int(match["percent"]) > 100):
        match = None
    try:
        answer = short_answer(group.text[: match.start()] if match else group.text)
    except UnreadableReply:
        return None
    return GroupAnswer(group.documents, answer, int(match["percent"]) / 100 if match else None)


def _final_answers(text: str) -> tuple[str, ...] | None:
    answers = short_answers(list_items(text.strip()))
    if answers is None or len(answers) > MAX_ANSWERS:
        return None
    distinct = tuple(dict.fromkeys(answer for answer in answers if not _PLACEHOLDER.fullmatch(answer)))
    return distinct if distinct or not answers else None
