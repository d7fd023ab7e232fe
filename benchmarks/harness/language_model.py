"""The language model of a benchmark: a GGUF file served in this process, or any URL; and what it will cost.

BENCHMARK_CHAT=https://api.openai.com/v1#gpt-4.1 BENCHMARK_KEY=... python -m benchmarks.debate
"""

import argparse
import os
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path

from answering.models import Chat, Completion, LimitedChat, Sampling
from answering.models.chat import GREEDY
from answering.models.llamacpp import LlamaCppChat
from answering.models.openai import OpenAIChat
from answering.models.usage import Usage
from benchmarks.harness import CannotMeasureError, Report, progress
from benchmarks.harness.cache import CachedChat
from estimator.errors import installing

MAX_OUTPUT_TOKENS = 256
CHARACTERS_A_TOKEN = 4
CONCURRENCY = 8
"""Requests side by side: servers batch."""
# A request waits for the others on a small machine, and where a server limits their rate.
SECONDS, ATTEMPTS = 600.0, 5


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The options of everything that asks a language model: which, and whether to say only what it would cost."""
    default = os.environ.get("BENCHMARK_CHAT")
    parser.add_argument("--model", metavar="FILE or URL#NAME", default=default, help="a language model to ask too")
    parser.add_argument("--foretell", action="store_true", help="say what it would cost, ask it nothing")


def language_model(model: str | None) -> Chat:
    """The model at a path, or at `URL#name`, with the key BENCHMARK_KEY. Raises `CannotMeasureError` without one."""
    if not model:
        raise CannotMeasureError("no language model: name a GGUF file, or URL#name, with --model or BENCHMARK_CHAT")
    if model.startswith(("http://", "https://")):
        url, _, name = model.partition("#")
        key = os.environ.get("BENCHMARK_KEY")
        return _limited(OpenAIChat(base_url=url, model=name, api_key=key, max_tokens=MAX_OUTPUT_TOKENS))
    if not Path(model).expanduser().is_file():
        raise CannotMeasureError(f"no language model at {model}; name a GGUF file with --model or BENCHMARK_CHAT")
    if find_spec("xllamacpp") is None:
        raise CannotMeasureError(f"a GGUF file needs llama.cpp: {installing('local')}")
    return _limited(LlamaCppChat(model, max_tokens=MAX_OUTPUT_TOKENS))


def _limited(chat: Chat) -> Chat:
    return LimitedChat(chat, concurrency=CONCURRENCY, timeout=SECONDS, attempts=ATTEMPTS)


class StandIn:
    """Replies in the place of a model, so that its cost is known before it is asked.

    Every kind of request can read its replies. They differ from each other and let the challenger win, so that debates
    hold all their rounds: `usage` is the most they come to, with four characters a token and the longest replies.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.usage = Usage()

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        output = min(sampling.max_tokens or MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS)
        usage = Usage(1, len(system + message) // CHARACTERS_A_TOKEN, output)
        self.usage += usage
        return Completion(_reply(system, self.usage.model_calls), usage)

    async def aclose(self) -> None:
        """It holds nothing."""


def _reply(system: str, number: int) -> str:
    if "proponent or challenger" in system:
        return "challenger"
    if '"label"' in system:
        return '{"label": "irrelevant", "quote": ""}'
    return f"Answer: word{number}\nBecause: it says so.\n[1]: word{number} (50)\nFinal: word{number}\nAdd: word{number}"


async def rehearse(
    report: Report, chat: CachedChat, ask: Callable[[Chat], Awaitable[object]], share: float = 1.0
) -> bool:
    """`foretell` for what `ask`, which tries a share of all, costs beyond the completions that are kept."""
    stand_in = StandIn(chat.name)
    await ask(chat.over(stand_in))
    return foretell(report, stand_in.usage, share)


def foretell(report: Report, usage: Usage, share: float = 1.0) -> bool:
    """Say what a run costs at most, of which a share was tried with a `StandIn`; whether it is to go on from there."""
    spent = {"calls": usage.model_calls, "input tokens": usage.input_tokens, "output tokens": usage.output_tokens}
    progress("at most about " + ", ".join(f"{count / share:,.0f} {name}" for name, count in spent.items()))
    for name, count in spent.items():
        report.figure(f"foretold {name}", report.figures.get(f"foretold {name}", 0.0) + count / share)
    if report.options.extra.foretell:
        report.rival_skipped("the language model", "its cost was foretold alone (--foretell)")
        return False
    return True
