"""Feedback: a response rewritten so that it says which of its claims are contested (ConflictScore, section 6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from answering.conflict.evidence import ClaimEvidence, ConflictScore, DocumentStance
from answering.debates.parsing.replies import unwrapped
from answering.judges import Label
from answering.models.chat import Chat
from answering.models.messages import CLOSE, OPEN, escape_markup, single_line
from answering.models.usage import Usage
from answering.prompts import load_prompt
from answering.questions.answer_type import content_words

REMINDER = (
    "Your last reply left one side out. Write the text again: name the publishers on both sides, and the different "
    "answers that they give."
)
USELESS = (
    "The response stays as it was: asked twice to rewrite it, the model wrote nothing, far too much, what it was sent, "
    "or what one side says alone, be it in everybody's mouth."
)
MAX_CLAIMS = 12
MAX_PUBLISHERS = 4
"""Publishers named on either side of a claim, the most reliable ones."""
QUOTE_CHARACTERS = 300
NAME_CHARACTERS = 100
DISPUTED, PUBLISHERS = "Disputed:", "What publishers say of it:"
_SIDES = (Label.SUPPORTS, Label.CONTRADICTS)
_TAGS = regex.compile(f"{regex.escape(OPEN)}|{regex.escape(CLOSE)}")
_COPIED = regex.compile(rf"{DISPUTED}|{PUBLISHERS}")
_LABEL = regex.compile(
    r"\A\s*+(?:here(?: is|'s)[^\n:]{0,60}|(?:the )?(?:corrected|rewritten) (?:text|response|answer))\s*+:\s*+",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Regeneration:
    """A rewritten response; where nothing changed, `response` is the one that was given."""

    response: str
    contested: int
    """Claims that were fed back."""
    prompt_name: str
    prompt_hash: str
    usage: Usage
    note: str | None = None
    """Why nothing changed although claims are contested."""


async def regenerate(response: str, score: ConflictScore, chat: Chat, *, question: str | None = None) -> Regeneration:
    """The response rewritten with its contested claims fed back: who says so, who says otherwise, in which words.

    A reply that leaves one side of every claim out still states it as settled; it is asked for again, as is one that is
    no text. If the second reply is of no use either, the response stays as it is, with a note. Raises ModelError.

    >>> import asyncio
    >>> from answering.models import ScriptedChat
    >>> score = ConflictScore((), "rules:1", "scripted", Usage())
    >>> asyncio.run(regenerate("It opened in 1911.", score, ScriptedChat("never called"))).response
    'It opened in 1911.'
    """
    prompt, contested = load_prompt("regeneration"), score.contested[:MAX_CLAIMS]
    if not contested:
        return Regeneration(response, 0, prompt.name, prompt.hash, Usage())
    message, usage = f"{_message(response, question, contested)}\n\n{prompt.closing}", Usage()
    for attempt in (message, f"{message}\n\n{REMINDER}"):
        reply = await chat.complete(prompt.text, attempt)
        usage += reply.usage
        text = _rewritten(reply.text)
        # Room for every publisher, and none for a model that does not stop.
        max_characters = 2 * len(response) + 2 * MAX_PUBLISHERS * QUOTE_CHARACTERS * len(contested)
        if len(text) <= max_characters and any(_names_both_sides(text, response, claim) for claim in contested):
            return Regeneration(text, len(contested), prompt.name, prompt.hash, usage)
    return Regeneration(response, len(contested), prompt.name, prompt.hash, usage, note=USELESS)


def _rewritten(reply: str) -> str:
    """The text of a reply without tags and labels; empty if a small model gave back what it was sent."""
    text = _LABEL.sub("", _TAGS.sub("", unwrapped(reply))).strip()
    return "" if _COPIED.search(text) else text


def _names_both_sides(text: str, response: str, claim: ClaimEvidence) -> bool:
    """Whether the text names a publisher of either side, and repeats what the contradicting side says.

    Small models attribute the claim to everybody, so the text must have a word of that side that the response lacks.
    """
    folded = single_line(text).casefold()
    supporting, contradicting = sides = [_by_publisher(claim.labelled(label)) for label in _SIDES]
    named = all(any(_names(folded, _publisher(stance).casefold()) for stance in side) for side in sides)
    own = [response, claim.claim.text, *map(_publisher, (*supporting, *contradicting))]
    different = content_words(" ".join(map(_words, contradicting))) - content_words(" ".join(own))
    return named and (not different or not different.isdisjoint(content_words(text)))


def _names(text: str, publisher: str) -> bool:
    return regex.search(rf"(?<!\w){regex.escape(publisher)}(?!\w)", text) is not None


def _message(response: str, question: str | None, contested: Sequence[ClaimEvidence]) -> str:
    question_lines = [f"Question: {single_line(question)}"] if question else []
    disputes = ("\n".join(_dispute(claim)) for claim in contested)
    return "\n\n".join([*question_lines, f"The text:\n{_tagged(response)}", *disputes])


def _dispute(claim: ClaimEvidence) -> Iterator[str]:
    yield f"{DISPUTED} {_tagged(single_line(claim.claim.text))}"
    yield PUBLISHERS
    for stance in sorted(
        (stance for label in _SIDES for stance in _by_publisher(claim.labelled(label))), key=_by_reliability
    ):
        reliability = stance.document.reliability
        label = "" if reliability is None else f" (reliability {reliability:.2f})"
        yield f"- {_tagged(_publisher(stance))}{label} says: {_tagged(_words(stance))}"


def _by_publisher(stances: Sequence[DocumentStance]) -> list[DocumentStance]:
    """One stance of each publisher, the most reliable publishers first."""
    by_source: dict[str, DocumentStance] = {}
    for stance in sorted(stances, key=_by_reliability):
        by_source.setdefault(stance.document.source or stance.document.key, stance)
    return list(by_source.values())[:MAX_PUBLISHERS]


def _by_reliability(stance: DocumentStance) -> tuple[float, float]:
    return -(stance.document.reliability or 0.0), -stance.probability


def _publisher(stance: DocumentStance) -> str:
    return single_line(stance.document.source or stance.document.key)[:NAME_CHARACTERS]


def _words(stance: DocumentStance) -> str:
    """The quote; where the judge found none, the beginning of the part that it was shown."""
    words = stance.quote.text if stance.quote else stance.part.text if stance.part else ""
    return single_line(words)[:QUOTE_CHARACTERS]


def _tagged(text: str) -> str:
    return f"{OPEN}{escape_markup(text)}{CLOSE}"
