"""A list of answers with an explanation: what aggregators and readers of many documents are asked for."""

import json
import re
from dataclasses import dataclass

from answering.debates.parsing.replies import label, short_answers, split_reason, unwrapped
from answering.sentences import sentence_spans

MAX_ANSWERS = 10
_ANSWERS = label("(?:all )?(?:the )?(?:final |correct |possible )*answers?")
SHORTEST_SENTENCE = 4
_COMMA = re.compile(r",\s+(?:and\s+)?(?!\d{4}\b|(?:Jr|Sr|Inc|Ltd|[IV]+)\b)")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+")
_GROUPED_NUMBER = re.compile(r"\s*\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*")


@dataclass(frozen=True, slots=True)
class AnswerList:
    """No answers where the model says that there is none."""

    answers: tuple[str, ...]
    explanation: str = ""


def parse_answers(reply: str) -> AnswerList | None:
    """`Answers: ["one", "another"]` or one answer a line after the label, and `Explanation: ...`.

    A list may also be unquoted, or separated by semicolons or bars; after `Answers` also by commas, for `Answer: Paris,
    Texas` is one. A reply without the label is read only if it is a JSON list and nothing else.
    """
    before, explanation = split_reason(unwrapped(reply))
    found = _ANSWERS.search(before)
    text = before[found.end() :].strip() if found else before.strip()
    if found is None and not (text.startswith("[") and text.endswith("]")):
        return None
    answers = short_answers(items(text, commas=found is not None and "answers" in found.group().lower()))
    if answers is None or not text:
        return None
    distinct = tuple(dict.fromkeys(answers))
    return None if len(distinct) > MAX_ANSWERS else AnswerList(distinct, explanation)


def items(text: str, *, commas: bool = False) -> list[str]:
    """The items of a list as models write it: JSON, bracketed, bulleted, a line each, or with `;` or `|` between.

    `commas` may stand between them too, but before a year and before what belongs to a name.
    """
    if text.startswith("["):
        return _bracketed(text)
    lines = [line for line in text.splitlines() if line.strip()]
    bulleted = [_BULLET.sub("", line) for line in lines if _BULLET.match(line)]
    if bulleted:
        return bulleted
    if not lines:
        return []
    listed = _before_more(lines[0])
    parted = re.split(r"\s*[;|]\s*", listed)
    return _COMMA.split(listed) if commas and len(parted) == 1 else parted


def _before_more(line: str) -> str:
    """The line without the sentence that a model adds after its list."""
    (_, end), *more = sentence_spans(line)
    return line[:end] if len(line[end:].split()) >= SHORTEST_SENTENCE and more else line


def _bracketed(text: str) -> list[str]:
    inside = text[1:].partition("]")[0]
    if _GROUPED_NUMBER.fullmatch(inside):
        return [inside.strip()]
    try:
        parsed, _end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return _unquoted(inside)
    return _flat(parsed)


def _unquoted(inside: str) -> list[str]:
    quoted = re.findall(r"\"([^\"]*)\"|“([^”]*)”|(?<![\w])'((?:[^']|'(?=\w))*)'(?!\w)", inside)
    if quoted:
        return [next(filter(None, groups), "") for groups in quoted]
    return re.split(r"\s*;\s*" if ";" in inside else r"\s*,\s+|,(?!\d)", inside)


def _flat(parsed: object) -> list[str]:
    """The strings and numbers of a JSON list; what is nested or an object is no short answer."""
    values = parsed if isinstance(parsed, list) else []
    return [str(value) for value in values if isinstance(value, str | int | float) and not isinstance(value, bool)]
