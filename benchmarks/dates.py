"""`python -m benchmarks.dates`: dated statements that contradict each other, on news of three years.

Questions on the news of a week, with articles found for them, most of them older. An article whose passages hold
exactly one of the choices votes for it, as a source of its own; nothing is read by a model. Where the choice with most
votes stands in old articles alone and the newest article says otherwise, which of both is right? The gap in time was
chosen on 2022 and 2023, and 2024 is reported. The next table is of the same where every answer has one vote, and then
of all disputed questions: what the service does takes the newest of answers with one vote each.

The last one is of questions on `this week` and the like, whose articles the compact reader reads: how many are right by
most votes of articles, where only those count that were published so many days around the question. `--quick` reads for
twenty of them.
"""

import asyncio
import gzip
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any

from answering.equivalence import answer_key
from answering.questions.asked_period import asked_period
from answering.readers import CompactReader
from answering.voting import CastVote, Electorate, Voter
from answering.voting.newer_statements import LEAST_GAP
from benchmarks.harness import Benchmark, Headline, Report, run
from benchmarks.harness.report import Cell
from benchmarks.web.questions import overlaps

GAPS = (0, 7, 15, 30, 60, 120, 365)
# Days before and after the question in which an article counts; None: all.
AROUND = (None, 8, 15, 31, 62)
QUESTIONS, QUICK = 300, 10
YEARS: Mapping[str, Sequence[int]] = {"developing": (2022, 2023), "reported": (2024,)}
BENCHMARK = Benchmark(
    "dates",
    "dated statements that contradict each other",
    page="dates",
    headlines=(
        Headline(
            "right of the majority's answer where a statement 30 days newer says otherwise, 2024",
            "reported.30.majority",
            {"the newest statement": "reported.30.newest"},
        ),
        Headline(
            "wrong answers to questions on this week, of articles of 15 days around them, 2024",
            "reported.within.15.wrong",
            {"of any time": "reported.within.any.wrong"},
            higher_is_better=False,
        ),
    ),
)
Vote = CastVote[int]
Json = dict[str, Any]
_NOW = datetime.now(UTC)


def questions(folder: Path, years: Sequence[int]) -> Iterator[tuple[list[Vote], frozenset[str]]]:
    """The votes on each question, newest last, and the right choices."""
    asked = {question["question_id"]: question for question in _lines(folder / "questions.jsonl.gz")}
    for year in years:
        votes: defaultdict[str, list[Vote]] = defaultdict(list)
        for article in _lines(folder / f"articles_{year}.jsonl.gz"):
            choices, question = article["choices_in_kept"], asked[article["question_id"]]
            if len(choices) != 1 or not article["publish_date"]:
                continue
            # Of an article that came after the question only the date of the question counts.
            date = min(_date(article["publish_date"]), _date(question["date"]))
            said = votes[article["question_id"]]
            said.append(CastVote(len(said), str(choices[0]), str(choices[0]), last_published_at=date))
        for question_id, said in votes.items():
            said.sort(key=lambda vote: vote.last_published_at or datetime.min.replace(tzinfo=UTC))
            yield said, frozenset(map(str, asked[question_id]["gold"]))


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text[:10]).replace(tzinfo=UTC)


def measure(report: Report) -> None:
    """Both tables."""
    folder, quick = report.folder("realtime_news"), report.options.quick
    sets = {half: list(questions(folder, years)) for half, years in YEARS.items()}
    rows: list[list[Cell]] = []
    for days in GAPS:
        row: list[Cell] = [days]
        for half, asked in sets.items():
            row += _contradicted(report, half, days, asked)
        rows.append(row)
    columns = [f"{half}: {name}" for half in sets for name in ("questions", "majority right", "newest right")]
    report.table("The newest statement against an older majority", ["days newer", *columns], rows)
    report.table(
        "The newest statement against older ones, one of each answer",
        ["days newer", *(f"{half}: {name}" for half in sets for name in ("questions", "older right", "newest right"))],
        [[days, *chain(*(_alone(report, half, days, asked) for half, asked in sets.items()))] for days in GAPS],
    )
    report.table(
        "Disputed questions",
        ["years", "questions", "all votes", "newest of one vote each", "newest statement"],
        [_disputed(report, half, asked) for half, asked in sets.items()],
    )
    reader = CompactReader()
    read = {
        half: asyncio.run(_read(reader, list(islice(_on_a_period(folder, years), QUICK if quick else QUESTIONS))))
        for half, years in YEARS.items()
    }
    report.table(
        "Questions on this week, yesterday or last month, read",
        ["articles within days", *(f"{half}: {name}" for half in read for name in ("right", "wrong", "no answer"))],
        [[days or "any", *chain(*(_within(report, half, days, *read[half]) for half in read))] for days in AROUND],
    )


@dataclass(frozen=True, slots=True)
class DatedReading:
    """The answer that an article gives, and how many days before or after the question it was published."""

    days: int
    answer: str


def _on_a_period(folder: Path, years: Sequence[int]) -> Iterator[tuple[Json, list[Json]]]:
    """Questions on a period with their dated articles, in an order by hash."""
    asked = [question for question in _lines(folder / "questions.jsonl.gz") if asked_period(question["question"], _NOW)]
    articles = defaultdict(list)
    for year in years:
        for article in _lines(folder / f"articles_{year}.jsonl.gz"):
            articles[article["question_id"]].append(article)
    asked.sort(key=lambda question: hashlib.sha256(question["question_id"].encode()).digest())
    for question in asked:
        if dated := [article for article in articles[question["question_id"]] if article["publish_date"]]:
            yield question, dated


async def _read(
    reader: CompactReader, asked: Sequence[tuple[Json, list[Json]]]
) -> tuple[list[Json], list[list[DatedReading]]]:
    """What the articles of each question answer."""
    read = []
    for question, articles in asked:
        answers = []
        for article in articles:
            passages, title = article["passages"], article["title"]
            reading = await reader.read(question["question"], passages, [title] * len(passages))
            if reading.answer is not None:
                days = abs((_date(article["publish_date"]) - _date(question["date"])).days)
                answers.append(DatedReading(days, reading.answer))
        read.append(answers)
    return [question for question, _ in asked], read


def _within(
    report: Report, half: str, days: int | None, asked: Sequence[Json], read: Sequence[Sequence[DatedReading]]
) -> list[Cell]:
    right = wrong = 0
    for question, answers in zip(asked, read, strict=True):
        counted = [each.answer for each in answers if days is None or each.days <= days]
        keys = Counter(answer_key(answer, question=question["question"]) for answer in counted)
        if counted:
            best = max(counted, key=lambda answer: keys[answer_key(answer, question=question["question"])])
            is_right = overlaps(best, [str(question["choices"][index]) for index in question["gold"]])
            right, wrong = right + is_right, wrong + (not is_right)
    for name, count in (("right", right), ("wrong", wrong)):
        report.figure(f"{half}.within.{days or 'any'}.{name}", count)
    return [right, wrong, len(asked) - right - wrong]


def _lines(path: Path) -> Iterator[Json]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _contradicted(
    report: Report, half: str, days: int, asked: Sequence[tuple[list[Vote], frozenset[str]]]
) -> list[Cell]:
    total = majority = newest = 0
    for votes, right in asked:
        (answer, count), *others = Counter(vote.answer_key for vote in votes).most_common()
        last = max(vote.last_published_at for vote in votes if vote.answer_key == answer and vote.last_published_at)
        latest = votes[-1].last_published_at or last
        if not others or others[0][1] == count or votes[-1].answer_key == answer:
            continue
        if latest - last >= timedelta(days=days):
            total += 1
            majority += answer in right
            newest += votes[-1].answer_key in right
    shares = majority / max(total, 1), newest / max(total, 1)
    report.figure(f"{half}.{days}.questions", total)
    report.figure(f"{half}.{days}.majority", shares[0])
    report.figure(f"{half}.{days}.newest", shares[1])
    return [total, *(f"{share:.2f}" for share in shares)]


def _alone(report: Report, half: str, days: int, asked: Sequence[tuple[list[Vote], frozenset[str]]]) -> list[Cell]:
    outdated = [(votes, right) for votes, right in asked if _outdated_by_newest(votes, days)]
    total = len(outdated)
    older = sum(
        sum(vote.answer_key in right for vote in votes[:-1]) / (len(votes) - 1) for votes, right in outdated
    ) / max(total, 1)
    newest = sum(votes[-1].answer_key in right for votes, right in outdated) / max(total, 1)
    report.figure(f"{half}.alone.{days}.older", older)
    report.figure(f"{half}.alone.{days}.newest", newest)
    return [total, f"{older:.2f}", f"{newest:.2f}"]


def _outdated_by_newest(votes: Sequence[Vote], days: int = LEAST_GAP.days) -> bool:
    """Whether every answer has one vote, and the newest is so much newer than all others."""
    keys = {vote.answer_key for vote in votes}
    if not 1 < len(keys) == len(votes):
        return False
    *_, second, newest = (vote.last_published_at or _NOW for vote in votes)
    return newest - second >= timedelta(days=days)


def _disputed(report: Report, half: str, asked: Sequence[tuple[list[Vote], frozenset[str]]]) -> list[Cell]:
    disputed = [(votes, right) for votes, right in asked if len({vote.answer_key for vote in votes}) > 1]
    plain = sum(_share(votes, right) for votes, right in disputed) / len(disputed)
    newest = sum(votes[-1].answer_key in right for votes, right in disputed) / len(disputed)
    alone = sum(
        votes[-1].answer_key in right if _outdated_by_newest(votes) else _share(votes, right)
        for votes, right in disputed
    ) / len(disputed)
    shares = {"all": plain, "alone": alone, "newest": newest}
    for name, share in shares.items():
        report.figure(f"{half}.disputed.{name}", share)
    years = " and ".join(map(str, YEARS[half]))
    return [f"{years} ({half})", len(disputed), *(f"{share:.3f}" for share in shares.values())]


def _electorate(votes: Sequence[Vote]) -> Electorate[int]:
    voters = [Voter(vote.source_id, 0.8) for vote in votes]
    return Electorate(voters, prior=0.8, prior_lower=0.8, labels=4, weigh=lambda share, _: share)


def _share(votes: Sequence[Vote], right: frozenset[str]) -> float:
    """The share of the heaviest answers that is right: an answer that ties with another is half of one."""
    tally = _electorate(votes).count(votes).vote.tally
    heaviest = [line.key for line in tally if line.weight > tally[0].weight - 1e-9]
    return sum(key in right for key in heaviest) / len(heaviest)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
