"""Answers with an explanation: one of an agent that read one document, or a list of an aggregator or debater."""

import json
import re
from dataclasses import dataclass

from answering.debates.parsing.replies import label, short_answer, short_answers, split_reason, unwrapped
from answering.errors import UnreadableReply
from answering.readers.reply import MAX_ANSWER_CHARACTERS
from answering.text.sentences import sentence_spans

MAX_ANSWERS = 10
MAX_UNLABELLED_CHARACTERS = 100
MIN_SENTENCE_WORDS = 4
_ANSWER = label("(?:the |my |final |short |exact )*answer")
_ANSWERS = label("(?:all )?(?:the )?(?:final |correct |possible )*answers?")
_COMMA = re.compile(r",\s+(?:and\s+)?(?!\d{4}\b|(?:Jr|Sr|Inc|Ltd|[IV]+)\b)")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+")
# After a single quotation mark that is not closed soon, what is too long for an answer is taken as it stands: the end
# would else be looked for from each of them.
_IN_QUOTES = r"(?:[^']|'(?=\w))"
_QUOTED = re.compile(
    rf"\"([^\"]*)\"|“([^“”]*)”|(?<!\w)'(?:({_IN_QUOTES}{{0,{MAX_ANSWER_CHARACTERS}}})'(?!\w)"
    rf"|({_IN_QUOTES}{{{MAX_ANSWER_CHARACTERS + 1}}}))"
)
_GROUPED_NUMBER = re.compile(r"\s*\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*")


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """The answer of one agent, None where it says that it has none."""

    answer: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerList:
    """Several answers; none where the model says that there is none."""

    answers: tuple[str, ...]
    explanation: str = ""


def parse_agent_answer(reply: str) -> AgentAnswer | None:
    """`Answer: ...` and what follows `Because: ...`; a reply of one short line is the answer itself."""
    before, reason = split_reason(unwrapped(reply))
    match = _ANSWER.search(before)
    text = before[match.end() :] if match else before.strip()
    if match is None and (not text or "\n" in text or len(text) > MAX_UNLABELLED_CHARACTERS):
        return None
    try:
        return AgentAnswer(short_answer(text), reason)
    except UnreadableReply:
        return None


def parse_answers(reply: str) -> AnswerList | None:
    """`Answers: ["one", "another"]` or one answer a line after the label, and `Explanation: ...`.

    A list may also be unquoted, or separated by semicolons or bars; after `Answers` also by commas, for `Answer: Paris,
    Texas` is one. A reply without the label is read only if it is a JSON list and nothing else.
    """
    before, explanation = split_reason(unwrapped(reply))
    match = _ANSWERS.search(before)
    text = before[match.end() :].strip() if match else before.strip()
    if match is None and not (text.startswith("[") and text.endswith("]")):
        return None
    answers = short_answers(list_items(text, commas=match is not None and "answers" in match.group().lower()))
    if answers is None or not text:
        return None
    distinct = tuple(dict.fromkeys(answers))
    return None if len(distinct) > MAX_ANSWERS else AnswerList(distinct, explanation)


def list_items(text: str, *, commas: bool = False) -> list[str]:
    """The items of a list as models write it: JSON, bracketed, bulleted, a line each, or separated by `;` or `|`.

    With `commas`, a comma separates too, but not before a year or what belongs to a name.
    """
    if text.startswith("["):
        return _bracketed_items(text)
    lines = [line for line in text.splitlines() if line.strip()]
    bulleted = [_BULLET.sub("", line) for line in lines if _BULLET.match(line)]
    if bulleted:
        return bulleted
    if not lines:
        return []
    items = _first_sentence(lines[0])
    separated = re.split(r"\s*[;|]\s*", items)
    return _COMMA.split(items) if commas and len(separated) == 1 else separated


def _first_sentence(line: str) -> str:
    """The line without the sentence that a model adds after its list."""
    (_, end), *more = sentence_spans(line)
    return line[:end] if len(line[end:].split()) >= MIN_SENTENCE_WORDS and more else line


def _bracketed_items(text: str) -> list[str]:
    inside = text[1:].partition("]")[0]
    if _GROUPED_NUMBER.fullmatch(inside):
        return [inside.strip()]
    try:
        values, _end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return _unquoted_items(inside)
    # What is nested or an object is no short answer.
    return [str(value) for value in values if isinstance(value, str | int | float) and not isinstance(value, bool)]


def _unquoted_items(inside: str) -> list[str]:
    if quoted := _QUOTED.findall(inside):
        return [next(filter(None, groups), "") for groups in quoted]
    return re.split(r"\s*;\s*" if ";" in inside else r"\s*,\s+|,(?!\d)", inside)
