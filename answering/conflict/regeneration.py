"""Feedback: a response written anew, so that its contested claims are said to be contested (section 6 of the paper)."""

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
from answering.readers.answer_type import content_words

REMINDER = (
    "Your last reply left one side out. Write the text again: name the publishers on both sides, and the different "
    "answers that they give."
)
USELESS = (
    "The response stays as it was: asked twice to rewrite it, the model wrote nothing, far too much, what it was sent, "
    "or what one side says alone, be it in everybody's mouth."
)
MOST_CLAIMS = 12
MOST_VOICES = 4
"""Publishers named on either side of a claim, the most reliable ones."""
QUOTE_CHARACTERS = 300
NAME_CHARACTERS = 100
DISPUTED, VOICES = "Disputed:", "What publishers say of it:"
_SIDES = (Label.SUPPORTS, Label.CONTRADICTS)
_MARKS = regex.compile(f"{regex.escape(OPEN)}|{regex.escape(CLOSE)}")
_COPIED = regex.compile(rf"{DISPUTED}|{VOICES}")
_LABEL = regex.compile(
    r"\A\s*+(?:here(?: is|'s)[^\n:]{0,60}|(?:the )?(?:corrected|rewritten) (?:text|response|answer))\s*+:\s*+",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Regeneration:
    """A response written anew; `response` is the one that was given where nothing changed."""

    response: str
    contested: int
    """Claims that were fed back."""
    prompt_name: str
    prompt_hash: str
    usage: Usage
    note: str | None = None
    """Why nothing changed although claims are contested."""


async def regenerate(response: str, scored: ConflictScore, chat: Chat, *, question: str | None = None) -> Regeneration:
    """The response rewritten with its contested claims fed back: who says so, who says otherwise, in which words.

    A reply that leaves one side of every claim out still states it as settled, and is asked for again like one that is
    no text; where the second is of no use either, the response stays as it is, with a note. Raises ModelError.
    """
    prompt, contested = load_prompt("regeneration"), scored.contested[:MOST_CLAIMS]
    if not contested:
        return Regeneration(response, 0, prompt.name, prompt.hash, Usage())
    message, usage = f"{_message(response, question, contested)}\n\n{prompt.closing}", Usage()
    for asked in (message, f"{message}\n\n{REMINDER}"):
        reply = await chat.complete(prompt.text, asked)
        usage += reply.usage
        text = _written(reply.text)
        if len(text) <= _longest(response, contested) and any(_both_sides(text, response, one) for one in contested):
            return Regeneration(text, len(contested), prompt.name, prompt.hash, usage)
    return Regeneration(response, len(contested), prompt.name, prompt.hash, usage, note=USELESS)


def _written(reply: str) -> str:
    """The text of a reply; small models copy the marks of data, or give back what they were sent, form and all."""
    text = _LABEL.sub("", _MARKS.sub("", unwrapped(reply))).strip()
    return "" if _COPIED.search(text) else text


def _longest(response: str, contested: Sequence[ClaimEvidence]) -> int:
    """Characters that a rewritten response may have: room for every voice, and none for a model that cannot stop."""
    return 2 * len(response) + 2 * MOST_VOICES * QUOTE_CHARACTERS * len(contested)


def _both_sides(text: str, response: str, one: ClaimEvidence) -> bool:
    """Whether the text names a publisher that says so and one that says otherwise, and repeats what the other says.

    Small models put the claim in everybody's mouth, so a word must be there that is not the response's.
    """
    said = single_line(text).casefold()
    supporting, contradicting = sides = [_voices(one.of(label)) for label in _SIDES]
    named = all(any(_names(said, _publisher(finding).casefold()) for finding in side) for side in sides)
    known = [response, one.claim.text, *map(_publisher, (*supporting, *contradicting))]
    otherwise = content_words(" ".join(map(_words, contradicting))) - content_words(" ".join(known))
    return named and (not otherwise or not otherwise.isdisjoint(content_words(text)))


def _names(text: str, publisher: str) -> bool:
    return regex.search(rf"(?<!\w){regex.escape(publisher)}(?!\w)", text) is not None


def _message(response: str, question: str | None, contested: Sequence[ClaimEvidence]) -> str:
    asked = [f"Question: {single_line(question)}"] if question else []
    return "\n\n".join([*asked, f"The text:\n{_data(response)}", *("\n".join(_dispute(one)) for one in contested)])


def _dispute(one: ClaimEvidence) -> Iterator[str]:
    yield f"{DISPUTED} {_data(single_line(one.claim.text))}"
    yield VOICES
    for finding in sorted((voice for label in _SIDES for voice in _voices(one.of(label))), key=_least_reliable_last):
        known = finding.document.reliability
        reliability = "" if known is None else f" (reliability {known:.2f})"
        yield f"- {_data(_publisher(finding))}{reliability} says: {_data(_words(finding))}"


def _voices(findings: Sequence[DocumentStance]) -> list[DocumentStance]:
    """One finding a source, the most reliable sources first."""
    ranked = sorted(findings, key=_least_reliable_last)
    by_source: dict[str, DocumentStance] = {}
    for finding in ranked:
        by_source.setdefault(finding.document.source or finding.document.key, finding)
    return list(by_source.values())[:MOST_VOICES]


def _least_reliable_last(finding: DocumentStance) -> tuple[float, float]:
    return -(finding.document.reliability or 0.0), -finding.probability


def _publisher(finding: DocumentStance) -> str:
    return single_line(finding.document.source or finding.document.key)[:NAME_CHARACTERS]


def _words(finding: DocumentStance) -> str:
    """What it says; where the judge found no words, the beginning of what it was shown."""
    words = finding.quote.text if finding.quote else finding.part.text if finding.part else ""
    return single_line(words)[:QUOTE_CHARACTERS]


def _data(text: str) -> str:
    return f"{OPEN}{escape_markup(text)}{CLOSE}"
