"""Reading by choice: a small model picks one of the spans that could be the answer, or IDK.

Three devices make a model of 135 million parameters readable at all: it sees only the sentences that share words with
the question; the reply is constrained by a grammar to the candidate spans or IDK; and where no sentence shares enough
of the question's words nobody is asked, the reading is IDK.
"""

import hashlib
import json
import re
import time
from collections.abc import Sequence

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI

from answering.alignment import is_abstention
from answering.errors import ReaderRefused, ReaderTimeout, ReaderUnavailable, UnreadableReply
from answering.prompts import load_prompt
from answering.readers.candidates import candidates, content_words
from answering.readers.port import Reading, Usage

IDK = "IDK"
# Sentences the model sees; more make it slower and no better.
FOCUS_SENTENCES = 2
# Share of the question's content words that the best sentence must hold. Chosen on invented development passages.
LEAST_SUPPORT = 0.45
MAX_TOKENS = 32


def focus(question: str, passages: Sequence[str], count: int = FOCUS_SENTENCES) -> list[str]:
    """The sentences that share most words with the question, in the order in which they stand."""
    wanted = content_words(question)
    sentences = [one for passage in passages for one in re.split(r"(?<=[.!?])\s+", passage) if one.strip()]
    best = sorted(range(len(sentences)), key=lambda at: (-len(wanted & content_words(sentences[at])), at))[:count]
    return [sentences[at] for at in sorted(best)]


def support(question: str, sentences: Sequence[str]) -> float:
    """The largest share of the question's content words that one of the sentences holds, in [0, 1]."""
    wanted = content_words(question)
    return max((len(wanted & content_words(one)) / len(wanted) for one in sentences), default=0.0) if wanted else 0.0


def grammar(spans: Sequence[str]) -> str:
    """A GBNF grammar that accepts one of the spans, or IDK, and then the end of the line."""
    choices = " | ".join(json.dumps(f" {span}", ensure_ascii=False) for span in (*spans, IDK))
    return f'root ::= ( {choices} ) "\\n"'


class SpanReader:
    """Reads through the completions of a llama.cpp server, which honours grammars."""

    def __init__(self, client: AsyncOpenAI, *, name: str) -> None:
        self._client = client
        self._prompt = load_prompt("span_reading")
        self.name = name
        settings = [self._prompt.hash, FOCUS_SENTENCES, LEAST_SUPPORT, MAX_TOKENS]
        self.prompt_hash = hashlib.sha256(json.dumps(settings).encode()).hexdigest()

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        sentences = focus(question, passages)
        spans = candidates(question, sentences)
        if not spans or support(question, sentences) < LEAST_SUPPORT:
            return Reading(None, IDK, None, Usage())
        started = time.perf_counter()
        raw, inputs, outputs = await self._complete(question, sentences, spans)
        answer = None if is_abstention(raw) else raw
        return Reading(answer, raw, None, Usage(1, inputs, outputs, (time.perf_counter() - started) * 1000))

    async def aclose(self) -> None:
        await self._client.close()

    async def _complete(self, question: str, sentences: Sequence[str], spans: Sequence[str]) -> tuple[str, int, int]:
        prompt = f"{self._prompt.text}\n\nPassage: {' '.join(sentences)}\nQuestion: {question}\nAnswer:"
        try:
            reply = await self._client.completions.create(
                model="local",
                prompt=prompt,
                temperature=0.0,
                max_tokens=MAX_TOKENS,
                extra_body={"grammar": grammar(spans), "cache_prompt": True},
            )
        except APITimeoutError as error:
            raise ReaderTimeout("The local model did not reply in time.") from error
        except APIConnectionError as error:
            raise ReaderUnavailable("The local model server cannot be reached.") from error
        except APIStatusError as error:
            if error.status_code < 500:
                raise ReaderRefused(f"The local model refused the request with status {error.status_code}.") from error
            raise ReaderUnavailable(f"The local model failed with status {error.status_code}.") from error
        except (APIError, ValueError) as error:
            raise UnreadableReply("The local model sent something that is not the OpenAI protocol.") from error
        if not reply.choices or not reply.choices[0].text.strip():
            raise UnreadableReply("The local model replied with nothing.")
        usage = reply.usage
        return (
            reply.choices[0].text.strip(),
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
        )
