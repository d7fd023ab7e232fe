"""The question of a conversation: what the last message of the user asks, made whole from the messages before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce

import regex

from answering.errors import UnreadableReply
from answering.models import Chat
from answering.models.chat import escape_markup, tagged_passage
from answering.prompts import load_prompt

__all__ = ["Role", "Turn", "question_by_model", "question_by_rule"]

MAX_TURNS = 12
SHOWN_CHARACTERS = 600
MAX_QUESTION_CHARACTERS = 1_000
# A message of so few words without a name is no question of its own.
FEW_WORDS = 3

_CAPITALISED = r"\p{Lu}[\p{L}\p{N}\u2019'&.-]*+"
# Capitalised words in a row, which numbers and small words may be part of; not the first word of a sentence.
_NAME = regex.compile(
    rf"(?<=[^.?!\s]\s)({_CAPITALISED}(?:\s(?:(?:of|the|de|von|and)\s)?(?:{_CAPITALISED}|\d[\w.]*))*+)"
)
_SUBJECT = regex.compile(rf"(?:\bthe\s(?:\p{{Ll}}+\s){{1,2}}of\s|\bthe\s)?{_NAME.pattern}")
_POSSESSIVE = regex.compile(r"\b(?:its|his|their|her(?=\s\p{L}))\b", regex.IGNORECASE)
_PRONOUN = regex.compile(r"\b(?:it|he|him|she|her|they|them)\b", regex.IGNORECASE)
_INSTEAD = regex.compile(
    rf"(?i:(?:(?:and|but|so)\s)?(?:what|how)\sabout|and)\s(?P<name>{_CAPITALISED}.*?)|(?i:(?:what|how)\sabout)\s.*"
)


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    role: Role
    text: str


def question_by_rule(turns: Sequence[Turn]) -> str:
    """The last message of the user, in which a pronoun is replaced by the name in the question before it.

    The rules are those of English; a message that they do not fit is returned as it is.

    >>> messages = ["Who designed the Skerrow Lighthouse?", "When was it built?"]
    >>> question_by_rule([Turn(Role.USER, message) for message in messages])
    'When was the Skerrow Lighthouse built?'
    """
    questions = [" ".join(turn.text.split()) for turn in turns if turn.role is Role.USER][-MAX_TURNS:]
    return reduce(_completed, questions) if questions else ""


async def question_by_model(turns: Sequence[Turn], chat: Chat) -> str:
    """The last message of the user as a language model rewrites it. Raises `ModelError` without a usable reply.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> turns = [Turn(Role.USER, "Who leads the choir?"), Turn(Role.USER, "Since when?")]
    >>> asyncio.run(question_by_model(turns, ScriptedChat("Since when has the choir been led?")))
    'Since when has the choir been led?'
    """
    prompt = load_prompt("whole_question")
    *before, last = turns[-MAX_TURNS:]
    conversation = "\n".join(f"{turn.role.capitalize()}: {tagged_passage(_shortened(turn.text))}" for turn in before)
    message = f"Conversation:\n{conversation}\nLast message: {tagged_passage(last.text)}\n\n{prompt.closing}"
    reply = (await chat.complete(prompt.text, message)).text.strip().removeprefix("Question:").strip()
    if not reply or "\n" in reply or len(reply) > MAX_QUESTION_CHARACTERS:
        raise UnreadableReply("The language model did not rewrite the question on one line.")
    return reply


def _completed(previous: str, question: str) -> str:
    if max(len(previous), len(question)) > MAX_QUESTION_CHARACTERS:
        return question
    instead = _INSTEAD.fullmatch(question.rstrip("?!. "))
    if instead and instead["name"] and _NAME.search(previous):
        return _NAME.sub(lambda _: instead["name"], previous, count=1)
    if _NAME.search(question):
        return question
    subject = _SUBJECT.search(previous)
    if subject and (_POSSESSIVE.search(question) or _PRONOUN.search(question)):
        possessive = _POSSESSIVE.sub(lambda _: f"{subject[0]}'s", question, count=1)
        return possessive if possessive != question else _PRONOUN.sub(lambda _: subject[0], question, count=1)
    return f"{previous} {question}" if instead or len(question.split()) <= FEW_WORDS else question


def _shortened(text: str) -> str:
    return escape_markup(text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…")
