"""`python -m benchmarks.subjects`: is an answer about what was asked? Of the service, and of its reader alone."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from sqlalchemy.engine import URL

from answering.readers import CompactReader
from benchmarks.harness import Report, database, progress, run
from benchmarks.multisource.runner import PATIENCE
from benchmarks.multisource.service import estimated
from benchmarks.subjects import BENCHMARK, capitals, fields, reading, refusals, service, speed, yes_no
from benchmarks.subjects.countries import Countries, load
from benchmarks.subjects.halves import Half
from benchmarks.subjects.inputs import load_inputs
from benchmarks.subjects.names import name_questions
from registry.platform.settings import AnswerJudge

COUNTRIES, FIELDS, YES_NO, NAMES, INPUTS, EXCHANGE, SPEED = PARTS = (
    *("countries", "fields", "yes_no", "names", "inputs", "exchange", "speed"),
)
# Countries and other questions of the quick form, and questions whose time is taken.
QUICK_COUNTRIES, QUICK_QUESTIONS, TIMED = 4, 5, 60
# Pairs of a question and a passage that the reader remembers.
REMEMBERED = 100_000

Item = TypeVar("Item")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which half, and which parts."""
    parser.add_argument("--half", type=Half, choices=list(Half), default=Half.REPORT, help="default: report")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="default: all")


def measure(report: Report) -> None:
    """All parts that were asked for."""
    half, parts = report.options.extra.half, set(report.options.extra.parts)
    if parts - {EXCHANGE}:
        limit = QUICK_COUNTRIES if report.options.quick else None
        countries = load(report.folder("countries")).of(half, limit)
        with database.temporary_server() as (url, folder):
            asyncio.run(_measure_service(report, url, folder, countries))
    if EXCHANGE in parts:
        asyncio.run(reading.measure(report, half))


async def _measure_service(report: Report, url: URL, folder: Path, countries: Countries) -> None:
    half, parts = report.options.extra.half, report.options.extra.parts
    limit = QUICK_QUESTIONS if report.options.quick else None
    reader = CompactReader(cache_size=REMEMBERED)
    settings = {"conflict_judge": AnswerJudge.NONE, "answer_timeout_seconds": PATIENCE}
    async with database.opened(url, reader, **settings) as runtime:
        corpus = await service.load(runtime, countries)
        progress("countries loaded")
        estimation = await estimated(runtime, corpus, "auto")
        progress("estimated")
        if COUNTRIES in parts:
            await capitals.measure(report, runtime, corpus, countries, estimation)
        if FIELDS in parts:
            await fields.measure(report, runtime, corpus, countries)
        if YES_NO in parts:
            await yes_no.measure(report, runtime, corpus, countries, limit)
        if NAMES in parts:
            await refusals.measure_names(report, runtime, corpus, _spread(name_questions(countries, half), limit))
        if INPUTS in parts:
            await refusals.measure_inputs(report, runtime, corpus, _spread(load_inputs(half), limit))
    if SPEED in parts:
        asked = speed.first_questions(countries.names, limit or TIMED)
        await speed.measure(report, url, folder, asked)


def _spread(items: Sequence[Item], limit: int | None) -> Sequence[Item]:
    """At most about so many of them, from the first to the last."""
    return items if limit is None else items[:: max(len(items) // limit, 1)]


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
