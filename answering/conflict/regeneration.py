"""Feedback: a response rewritten so that it says which of its claims are contested (ConflictScore, section 6).

A response of which documents contradict something and support nothing is rewritten to what they say instead; where the
model fails to, it is withdrawn, and a text that no model wrote says who contradicts it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from answering.conflict.evidence import ClaimEvidence, ConflictScore, DocumentStance
from answering.debates.parsing.replies import unwrapped
from answering.enums import ReplyRefusal, ResponseOutcome
from answering.judges import Label
from answering.models.chat import CLOSE, OPEN, Chat, escape_markup, single_line
from answering.models.usage import Usage
from answering.prompts import load_prompt
from answering.questions.answer_type import content_words

REMINDER = (
    "Your last reply left one side out. Write the text again: name the publishers on both sides, and the different "
    "answers that they give."
)
NO_SUPPORT_REMINDER = (
    "No publisher says what the text says. Write the text again: name the publishers, and the different answers that "
    "they give instead."
)
USELESS = "The response stays as it was: neither of two replies of the model could be used."
WITHDRAWN = (
    "The response is withdrawn: documents contradict it, none supports any of it, and neither of two replies of the "
    "model could be used."
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
class Attempt:
    """A reply of the model, without tags and labels, and why it was not used; None if it was."""

    reply: str
    refusal: ReplyRefusal | None = None


@dataclass(frozen=True, slots=True)
class Regeneration:
    """A rewritten response; where nothing changed, `response` is the one that was given."""

    response: str
    outcome: ResponseOutcome
    contested: int
    """Claims that were fed back."""
    untold: tuple[str, ...]
    """Contested claims for which `response` does not say who contradicts them and how."""
    attempts: tuple[Attempt, ...]
    prompt_name: str
    prompt_hash: str
    usage: Usage

    @property
    def note(self) -> str | None:
        """The reason why no reply of the model is the response although claims are contested."""
        return {ResponseOutcome.KEPT: USELESS, ResponseOutcome.WITHDRAWN: WITHDRAWN}.get(self.outcome)


async def regenerate(response: str, score: ConflictScore, chat: Chat, *, question: str | None = None) -> Regeneration:
    """The response rewritten with its contested claims fed back: who says so, who says otherwise, in which words.

    A reply that leaves one side of every claim out still states it as settled; it is asked for again, as is one that is
    no text. If the second reply is of no use either, the response is withdrawn if no document supports any claim of it,
    else it stays as it is. Raises ModelError.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> score = ConflictScore((), "rules:1", "scripted", Usage())
    >>> asyncio.run(regenerate("It opened in 1911.", score, ScriptedChat("never called"))).response
    'It opened in 1911.'
    """
    prompt, contested = load_prompt("regeneration"), score.contested[:MAX_CLAIMS]
    supported = any(claim.labelled(Label.SUPPORTS) for claim in score.claims)
    usage, attempts = Usage(), list[Attempt]()

    def result(text: str, outcome: ResponseOutcome, untold: Sequence[ClaimEvidence] = ()) -> Regeneration:
        texts = tuple(claim.claim.text for claim in untold)
        return Regeneration(text, outcome, len(contested), texts, tuple(attempts), prompt.name, prompt.hash, usage)

    if not contested:
        return result(response, ResponseOutcome.UNCONTESTED)
    message = f"{_message(response, question, contested)}\n\n{prompt.closing}"
    for attempt in (message, f"{message}\n\n{REMINDER if supported else NO_SUPPORT_REMINDER}"):
        reply = await chat.complete(prompt.text, attempt)
        usage += reply.usage
        text = _plain(reply.text)
        refusal = _refusal(text, response, contested)
        attempts.append(Attempt(text, refusal))
        if refusal is None:
            untold = [claim for claim in contested if _left_out(text, response, claim) is not None]
            return result(text, ResponseOutcome.REWRITTEN, untold)
    if supported:
        return result(response, ResponseOutcome.KEPT, contested)
    return result(_withdrawal(contested), ResponseOutcome.WITHDRAWN)


def _plain(reply: str) -> str:
    """The text of a reply without tags and labels."""
    return _LABEL.sub("", _TAGS.sub("", unwrapped(reply))).strip()


def _refusal(text: str, response: str, contested: Sequence[ClaimEvidence]) -> ReplyRefusal | None:
    """The reason why a reply is not used; None if it tells the sides of at least one claim."""
    if not text:
        return ReplyRefusal.EMPTY
    if _COPIED.search(text):
        return ReplyRefusal.COPIED
    # Room for every publisher, and none for a model that does not stop.
    if len(text) > 2 * len(response) + 2 * MAX_PUBLISHERS * QUOTE_CHARACTERS * len(contested):
        return ReplyRefusal.TOO_LONG
    left_out = {_left_out(text, response, claim) for claim in contested}
    if None in left_out:
        return None
    return ReplyRefusal.SAME_ANSWER if ReplyRefusal.SAME_ANSWER in left_out else ReplyRefusal.SIDE_MISSING


def _left_out(text: str, response: str, claim: ClaimEvidence) -> ReplyRefusal | None:
    """The parts of a claim that a text omits: a publisher of either side that there is, or what the contradicting one
    says.

    Small models attribute the claim to everybody, so the text must have a word of that side that the response lacks.
    """
    folded = single_line(text).casefold()
    supporting, contradicting = sides = [_by_publisher(claim.labelled(label)) for label in _SIDES]
    if not all(any(_names(folded, _publisher(stance).casefold()) for stance in side) for side in sides if side):
        return ReplyRefusal.SIDE_MISSING
    own = [response, claim.claim.text, *map(_publisher, (*supporting, *contradicting))]
    different = content_words(" ".join(map(_words, contradicting))) - content_words(" ".join(own))
    return ReplyRefusal.SAME_ANSWER if different and different.isdisjoint(content_words(text)) else None


def _withdrawal(contested: Sequence[ClaimEvidence]) -> str:
    """The replacement of a response that no document supports: each contested claim, and who contradicts it."""
    lines = ["No document supports this response, so it is withdrawn. What contradicts it:"]
    for claim in contested:
        contradicting = _by_publisher(claim.labelled(Label.CONTRADICTS))
        said = "; ".join(f"{_publisher(stance)}: “{_words(stance)}”" for stance in contradicting)
        lines.append(f"- On “{single_line(claim.claim.text)}” {said}")
    return "\n".join(lines)


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
