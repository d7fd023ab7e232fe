"""Reading by choice: a small model picks one of the spans that could be the answer, or IDK.

Three measures make a model of 135 million parameters usable: it sees only the sentences of one passage that share most
words with the question; a grammar constrains its reply to spans of the expected answer type, or IDK; and where the
passage covers too little of the question, the reading is IDK without a call.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from answering.errors import UnreadableReply
from answering.models import Usage
from answering.models.messages import single_line
from answering.models.openai_client import READER, translate_errors
from answering.prompts import load_prompt
from answering.readers.candidate_spans import candidate_spans
from answering.readers.grammar import choices, chosen, grammar
from answering.readers.reader import IDK, AbstentionReason, Reading
from answering.readers.sentence_selection import nearest_passage, question_coverage, select_sentences

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Completion

# The most sentences the model sees; more make it slower and no better.
MAX_SENTENCES = 2
# Share of the question's content words that the nearest passage must hold. Chosen on invented development passages.
MIN_COVERAGE = 0.55
MAX_SPAN_CHARACTERS = 80
MAX_TOKENS = 96
# To be raised with every other change of the replies: of the choice of sentences and spans, or of the grammar.
REVISION = 7


def span_prompt_hash() -> str:
    """The prompt hash of all readers that choose spans."""
    settings = [load_prompt("span_reading").hash, MAX_SENTENCES, MIN_COVERAGE, MAX_TOKENS, REVISION]
    return hashlib.sha256(json.dumps(settings).encode()).hexdigest()


class SpanChoiceReader:
    """Reads through the completions of a llama.cpp server, which obeys grammars."""

    def __init__(self, client: "AsyncOpenAI", *, name: str) -> None:
        self._client = client
        self._prompt = load_prompt("span_reading")
        self.name = name
        self.prompt_hash = span_prompt_hash()

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        texts = list(map("\n".join, zip(contexts, passages, strict=True))) if contexts else passages
        text = nearest_passage(question, texts)
        passage = passages[texts.index(text)] if passages else ""
        sentences = [single_line(sentence) for sentence in select_sentences(question, passage, MAX_SENTENCES)]
        spans = [span for span in candidate_spans(question, sentences) if len(span) <= MAX_SPAN_CHARACTERS]
        if not spans or question_coverage(question, text) < MIN_COVERAGE:
            return Reading.abstention(Usage())
        return await self._choose(question, " ".join(sentences), [*spans, IDK])

    async def aclose(self) -> None:
        await self._client.close()

    async def _choose(self, question: str, text: str, spans: Sequence[str]) -> Reading:
        started = time.perf_counter()
        texts = choices(spans)
        completion = await self._complete(question, text, grammar(texts))
        with translate_errors(READER):
            span = chosen(completion.choices[0].text, texts)
        if span is None:
            raise UnreadableReply("The local model wrote something else than the spans it may choose from.")
        tokens = completion.usage
        usage = Usage(
            model_calls=1,
            input_tokens=tokens.prompt_tokens if tokens else 0,
            output_tokens=tokens.completion_tokens if tokens else 0,
            milliseconds=(time.perf_counter() - started) * 1000,
        )
        if span == IDK:
            return Reading.abstention(usage, reason=AbstentionReason.DECLINED)
        return Reading(span, span, None, usage)

    async def _complete(self, question: str, text: str, accepted: str) -> "Completion":
        prompt = f"{self._prompt.text}\n\nPassage: {text}\nQuestion: {single_line(question)}\nAnswer:"
        with translate_errors(READER):
            return await self._client.completions.create(
                model="local",
                prompt=prompt,
                temperature=0.0,
                max_tokens=MAX_TOKENS,
                extra_body={"grammar": accepted, "cache_prompt": True},
            )
