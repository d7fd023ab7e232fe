"""Groups of documents that agree (Astute RAG): what a model says of each, and which it finds right."""

import re
from dataclasses import dataclass

from answering.debates.parsing.answers import MAX_ANSWERS, items
from answering.debates.parsing.replies import MARKS, label, short_answer, short_answers, unwrapped
from answering.debates.quoting import sanitized
from answering.errors import UnreadableReply

MAX_GROUPS = 20
# What prompts have or had where a reply has words of its own; small models copy it.
_ECHO = re.compile(
    r"(?:(?:what|the (?:right )?answer of) documents? [\d, and]+(?:says?)?|(?:the|another) right answer)\W*",
    re.IGNORECASE,
)
MAX_GROUP_CHARACTERS = 1_500
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
    """The answer of a group, None where it has none, and how sure the model is, in [0, 1]."""

    documents: tuple[int, ...]
    answer: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class GroupAnswers:
    """What each group answers, and the answers found right."""

    groups: tuple[GroupAnswer, ...]
    final: tuple[str, ...] | None
    """None where the reply has no line that says so."""


def parse_groups(reply: str, documents: int) -> tuple[Group, ...] | None:
    """Lines `[1, 3]: what they say`; numbers of no document are left out, and so are groups without any."""
    text = unwrapped(reply)
    found = list(_GROUP.finditer(text))
    if not found or len(found) > MAX_GROUPS:
        return None
    ends = [match.start() for match in found[1:]] + [len(text)]
    groups = [
        Group(_numbers(match, documents), sanitized(text[match.end() : end].strip(), MAX_GROUP_CHARACTERS))
        for match, end in zip(found, ends, strict=True)
    ]
    return tuple(group for group in groups if group.documents and _speaks(group.text)) or None


def parse_group_answers(reply: str, documents: int) -> GroupAnswers | None:
    """Lines `[1, 3]: answer (confidence)` and a line `Final: answer; another`; one of both is enough."""
    text = unwrapped(reply)
    final = _final(text)
    before = text[: _last_label(text)]
    groups = [_finding(group) for group in parse_groups(before, documents) or ()]
    found = tuple(group for group in groups if group is not None)
    return GroupAnswers(found, final) if found or final is not None else None


def _speaks(text: str) -> bool:
    return bool(text) and _ECHO.fullmatch(_CONFIDENCE.sub("", text)) is None


def _numbers(match: re.Match[str], documents: int) -> tuple[int, ...]:
    numbers = dict.fromkeys(map(int, re.findall(r"\d+", match["numbers"])))
    return tuple(number for number in numbers if 1 <= number <= documents)


def _finding(group: Group) -> GroupAnswer | None:
    percent = _CONFIDENCE.search(group.text)
    # "1987" after a dash is an answer, not a confidence: what is left must say something.
    sure = percent if percent and group.text[: percent.start()].strip() and int(percent["percent"]) <= 100 else None
    try:
        answer = short_answer(group.text[: sure.start()] if sure else group.text)
    except UnreadableReply:
        return None
    return GroupAnswer(group.documents, answer, int(sure["percent"]) / 100 if sure else None)


def _last_label(text: str) -> int:
    return next((match.start() for match in reversed(list(_FINAL.finditer(text)))), len(text))


def _final(text: str) -> tuple[str, ...] | None:
    found = list(_FINAL.finditer(text))
    if not found:
        return None
    answers = short_answers(items(text[found[-1].end() :].strip()))
    if answers is None or len(answers) > MAX_ANSWERS:
        return None
    own = tuple(dict.fromkeys(answer for answer in answers if not _ECHO.fullmatch(answer)))
    return own if own or not answers else None
