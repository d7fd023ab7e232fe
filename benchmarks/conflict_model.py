"""The language model that judges and rewrites; what it said once is kept, so that a run that was cut off goes on."""

import os
import re
from pathlib import Path

from benchmarks.debate.model import language_model
from benchmarks.debate.store import KeptChat, Lines
from benchmarks.harness import CannotMeasureError, Report

AT_ONCE = 8
"""Requests side by side: servers batch."""
_UNSAFE = re.compile(r"[^.\w-]+")


def kept_chat(report: Report, what_for: str) -> KeptChat | None:
    """The model of BENCHMARK_CHAT, kept in the folder BENCHMARK_KEPT; None, and reported as skipped, without one."""
    if report.options.quick:
        report.rival_skipped(what_for, "the quick form asks no language model")
        return None
    try:
        chat = language_model(os.environ.get("BENCHMARK_CHAT"))
    except CannotMeasureError as reason:
        report.rival_skipped(what_for, str(reason))
        return None
    folder = Path(os.environ.get("BENCHMARK_KEPT", "build/conflict"))
    return KeptChat(chat, Lines(folder / f"{_UNSAFE.sub('-', chat.name)}.jsonl"))
