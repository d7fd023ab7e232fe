"""Claims by a language model, which separates and words them better than rules; invented claims are left out."""

import hashlib
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from answering.alignment import rouge1_precision
from answering.conflict.claims import Claim, SplitResult, distinct
from answering.conflict.rule_splitter import rule_claims
from answering.debates.parsing.replies import unwrapped
from answering.judges.quotes import find_quote
from answering.models.chat import Chat
from answering.models.messages import CLOSE, OPEN, escape_markup, single_line
from answering.prompts import load_prompt

REMINDER = "Your last reply could not be read. Reply with the one JSON object and nothing else."
UNREADABLE = "The model's claims could not be read, twice: the response was split by rules."
INVENTED = "The model made {count} of {total} claims up, which were left out."
# The share of a claim's words that must be in the response or the question; the others join them to a sentence.
MIN_PRECISION = 0.7
MAX_CLAIM_CHARACTERS = 2_000


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    claims: list[str]


class ModelSplitter:
    """One completion for each response; after two replies that cannot be read, the rules split it.

    >>> import asyncio
    >>> from answering.models import ScriptedChat
    >>> chat = ScriptedChat('{"claims": ["The bridge was opened in 1911.", "Bears like honey."]}')
    >>> result = asyncio.run(ModelSplitter(chat).split("The bridge was opened in 1911.", None))
    >>> [claim.text for claim in result.claims], result.note
    (['The bridge was opened in 1911.'], 'The model made 1 of 2 claims up, which were left out.')
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load_prompt("claims")
        settings_hash = hashlib.sha256(f"{self._prompt.hash}:{MIN_PRECISION}".encode()).hexdigest()
        self.name = f"{chat.name}:{self._prompt.name}:{settings_hash[:12]}"

    async def split(self, response: str, question: str | None) -> SplitResult:
        if not response.strip():
            return SplitResult(())
        message = _message(response, question)
        first = await self._chat.complete(self._prompt.text, message)
        texts, usage = parse_claims(first.text), first.usage
        if texts is None:
            second = await self._chat.complete(self._prompt.text, f"{message}\n\n{REMINDER}")
            texts, usage = parse_claims(second.text), usage + second.usage
        if texts is None:
            return SplitResult(rule_claims(response, question), usage, UNREADABLE)
        claims, note = _without_invented(texts, response, question)
        return SplitResult(claims, usage, note)


def parse_claims(reply: str) -> list[str] | None:
    """The claims of a reply that is the JSON object asked for, thoughts and code fences aside; None for any other."""
    try:
        claims = _Reply.model_validate_json(unwrapped(reply)).claims
    except ValidationError:
        return None
    cleaned = [" ".join(claim.split()) for claim in claims]
    return cleaned if all(0 < len(claim) <= MAX_CLAIM_CHARACTERS for claim in cleaned) else None


def _message(response: str, question: str | None) -> str:
    question_lines = [f"Question: {single_line(question)}"] if question else []
    return "\n\n".join([*question_lines, f"{OPEN}\n{escape_markup(response)}\n{CLOSE}"])


def _without_invented(
    texts: Sequence[str], response: str, question: str | None
) -> tuple[tuple[Claim, ...], str | None]:
    kept = [text for text in texts if rouge1_precision(text, [response, question or ""]) >= MIN_PRECISION]
    note = INVENTED.format(count=len(texts) - len(kept), total=len(texts)) if len(kept) < len(texts) else None
    return distinct(_placed(text, response) for text in kept), note


def _placed(text: str, response: str) -> Claim:
    quote = find_quote(response, text.rstrip("."))
    return Claim(text, quote.start, quote.end) if quote else Claim(text)
