"""Feedback: a response written anew, so that its contested claims are said to be contested (section 6 of the paper)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from answering.chats.port import Chat
from answering.conflict.evidence import ClaimEvidence, ConflictScore, Finding
from answering.debates.parsing.wrapping import bare
from answering.errors import UnreadableReply
from answering.judges import Label
from answering.prompts import load_prompt
from answering.readers.messages import CLOSE, OPEN, defused, one_line
from answering.readers.port import Usage

REMINDER = "Your last reply was no rewritten text. Reply with the rewritten text alone."
MOST_CLAIMS = 12
MOST_VOICES = 4
"""Publishers named on either side of a claim, the most reliable ones."""
QUOTE_CHARACTERS = 300
DISPUTED = "Disputed claims:"
FOR, AGAINST = "For it", "Against it"
_MARKS = regex.compile(f"{regex.escape(OPEN)}|{regex.escape(CLOSE)}")
_COPIED = regex.compile(rf"{DISPUTED}|(?:{FOR}|{AGAINST})\s*+(?:\(reliability[^)]*+\)\s*+)?:")
_LABEL = regex.compile(
    r"\A\s*+(?:here(?: is|'s)[^\n:]{0,60}|(?:the )?rewritten (?:text|response|answer))\s*+:\s*+", regex.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Regenerated:
    """A response written anew; `response` is the one that was given where nothing in it is contested."""

    response: str
    contested: int
    """Claims that were fed back."""
    prompt_name: str
    prompt_hash: str
    usage: Usage


async def regenerate(response: str, scored: ConflictScore, chat: Chat, *, question: str | None = None) -> Regenerated:
    """The response rewritten with its contested claims fed back: who says so, who says otherwise, in which words.

    Raises ReaderError, `UnreadableReply` where two replies were no text.
    """
    prompt, contested = load_prompt("regeneration"), scored.contested[:MOST_CLAIMS]
    if not contested:
        return Regenerated(response, 0, prompt.name, prompt.hash, Usage())
    message, usage = f"{_message(response, question, contested)}\n\n{prompt.closing}", Usage()
    for asked in (message, f"{message}\n\n{REMINDER}"):
        reply = await chat.complete(prompt.text, asked)
        usage += reply.usage
        text = _written(reply.text)
        if text and len(text) <= _longest(response, contested):
            return Regenerated(text, len(contested), prompt.name, prompt.hash, usage)
    raise UnreadableReply(
        "Asked to rewrite the response, the model twice wrote nothing, far too much or what it was sent."
    )


def _written(reply: str) -> str:
    """The text of a reply; small models copy the marks of data, or give back what they were sent, form and all."""
    text = _LABEL.sub("", _MARKS.sub("", bare(reply))).strip()
    return "" if _COPIED.search(text) else text


def _longest(response: str, contested: Sequence[ClaimEvidence]) -> int:
    """Characters that a rewritten response may have: room for every voice, and none for a model that cannot stop."""
    return 2 * len(response) + 2 * MOST_VOICES * QUOTE_CHARACTERS * len(contested)


def _message(response: str, question: str | None, contested: Sequence[ClaimEvidence]) -> str:
    asked = [f"Question: {one_line(question)}"] if question else []
    disputed = ("\n".join(_dispute(number, one)) for number, one in enumerate(contested, 1))
    return "\n\n".join([*asked, "The text:", _data(response), DISPUTED, *disputed])


def _dispute(number: int, one: ClaimEvidence) -> Iterator[str]:
    yield f"{number}. {_data(one_line(one.claim.text))}"
    for label, word in ((Label.SUPPORTS, FOR), (Label.CONTRADICTS, AGAINST)):
        for finding in _voices(one.of(label)):
            known = finding.document.reliability
            reliability = "" if known is None else f" (reliability {known:.2f})"
            yield f"{word}{reliability}: {_data(_said(finding))}"


def _voices(findings: Sequence[Finding]) -> list[Finding]:
    """One finding a source, the most reliable sources first."""
    ranked = sorted(findings, key=lambda one: (-(one.document.reliability or 0.0), -one.probability))
    by_source: dict[str, Finding] = {}
    for finding in ranked:
        by_source.setdefault(finding.document.source or finding.document.key, finding)
    return list(by_source.values())[:MOST_VOICES]


def _said(finding: Finding) -> str:
    """The publisher and its words; where the judge found none, the beginning of what it was shown."""
    document = finding.document
    words = finding.quote.text if finding.quote else finding.part.text if finding.part else ""
    return f"{one_line(document.source or document.key)[:100]}: {one_line(words)[:QUOTE_CHARACTERS]}"


def _data(text: str) -> str:
    return f"{OPEN}{defused(text)}{CLOSE}"
