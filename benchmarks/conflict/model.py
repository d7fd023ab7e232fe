"""The language model that judges and rewrites, with its completions kept in a file."""

import os
import re
from pathlib import Path

from benchmarks.harness import CannotMeasureError, Report
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.harness.language_model import language_model

_UNSAFE = re.compile(r"[^.\w-]+")


def cached_chat(report: Report, purpose: str) -> CachedChat | None:
    """The model of `--model`, cached in the folder BENCHMARK_KEPT; None, and recorded as skipped, without one."""
    if report.options.quick:
        report.rival_skipped(purpose, "the quick form asks no language model")
        return None
    try:
        chat = language_model(report.options.extra.model)
    except CannotMeasureError as reason:
        report.rival_skipped(purpose, str(reason))
        return None
    folder = Path(os.environ.get("BENCHMARK_KEPT", "build/conflict"))
    return CachedChat(chat, JsonLines(folder / f"{_UNSAFE.sub('-', chat.name)}.jsonl"))
