"""Claims by a language model, which parts and words them better than rules, and is not believed when it invents."""

import hashlib
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from answering.alignment import rouge1_precision
from answering.conflict.claims import Claim, SplitResult, distinct
from answering.conflict.rules import rule_claims
from answering.debates.parsing.replies import unwrapped
from answering.judges.quotes import find_quote
from answering.models.chat import Chat
from answering.models.messages import CLOSE, OPEN, escape_markup, single_line
from answering.prompts import load_prompt

REMINDER = "Your last reply could not be read. Reply with the one JSON object and nothing else."
UNREADABLE = "The model's claims could not be read, twice: the response was split by rules."
INVENTED = "The model made {count} of {total} claims up, which were left out."
# The words of a claim that must stand in the response or the question; the others join them to a sentence.
LEAST_OWN_WORDS = 0.7
MAX_CLAIM_CHARACTERS = 2_000


class _Claims(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    claims: list[str]


class ModelSplitter:
    """One completion a response; a reply that cannot be read is asked for again, and then the rules split instead."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load_prompt("claims")
        told = f"{self._prompt.hash}:{LEAST_OWN_WORDS}"
        self.name = f"{chat.name}:{self._prompt.name}:{hashlib.sha256(told.encode()).hexdigest()[:12]}"

    async def split(self, response: str, question: str | None) -> SplitResult:
        if not response.strip():
            return SplitResult(())
        message = _message(response, question)
        first = await self._chat.complete(self._prompt.text, message)
        found, usage = parse(first.text), first.usage
        if found is None:
            second = await self._chat.complete(self._prompt.text, f"{message}\n\n{REMINDER}")
            found, usage = parse(second.text), usage + second.usage
        if found is None:
            return SplitResult(rule_claims(response, question), usage, UNREADABLE)
        claims, note = _believed(found, response, question)
        return SplitResult(claims, usage, note)


def parse(reply: str) -> list[str] | None:
    """The claims of a reply that is the JSON object asked for, thoughts and code fences aside; None for any other."""
    try:
        claims = _Claims.model_validate_json(unwrapped(reply)).claims
    except ValidationError:
        return None
    cleaned = [" ".join(claim.split()) for claim in claims]
    return cleaned if all(0 < len(claim) <= MAX_CLAIM_CHARACTERS for claim in cleaned) else None


def _message(response: str, question: str | None) -> str:
    asked = [f"Question: {single_line(question)}"] if question else []
    return "\n\n".join([*asked, f"{OPEN}\n{escape_markup(response)}\n{CLOSE}"])


def _believed(found: Sequence[str], response: str, question: str | None) -> tuple[tuple[Claim, ...], str | None]:
    said = [response, question or ""]
    own = [text for text in found if rouge1_precision(text, said) >= LEAST_OWN_WORDS]
    note = INVENTED.format(count=len(found) - len(own), total=len(found)) if len(own) < len(found) else None
    return distinct(_placed(text, response) for text in own), note


def _placed(text: str, response: str) -> Claim:
    place = find_quote(response, text.rstrip("."))
    return Claim(text, place.start, place.end) if place else Claim(text)
