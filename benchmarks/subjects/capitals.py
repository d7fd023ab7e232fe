"""The countries: capitals by the service and its rivals, reliabilities beside the shares of right statements."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

from answering.equivalence import answer_key
from benchmarks.harness import Cell, Report
from benchmarks.multisource.service import asked
from benchmarks.subjects.countries import Countries, Query
from benchmarks.subjects.service import Reply, ask, plain_rag, reply_of
from benchmarks.subjects.truth import is_named
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.estimations.model import EstimationRun
from registry.runtime import Runtime
from registry.sources.reliabilities import SourceReliability, current_reliabilities

CERTAIN = 0.9
LOW_RELIABILITY = 0.7
# The least share at which the statements of a source are called right.
RIGHT_SHARE = 0.9
ALL_SOURCES = AnswerParameters(kappa=1000, batch=64)
DEFAULT, WEIGHTED, MAJORITY, PLAIN = (
    "as it comes",
    "weighted vote of all sources",
    "majority of all sources",
    "plain RAG: one reader, one search",
)
# Of 60 capitals and 190 queries; scaled to what is asked.
AIM_RIGHT, AIM_DISPUTES, AIM_SPEARMAN = 59 / 60, 60 / 190, 0.8


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source: its reliability, and how many of its statements on what the queries ask are right, and in all."""

    name: str
    reliability: float
    asked: tuple[int, int]
    stated: tuple[int, int]

    @property
    def share(self) -> float:
        """The share of right statements on what the queries ask; NaN without any."""
        right, total = self.asked
        return right / total if total else nan


async def measure(report: Report, runtime: Runtime, corpus: Corpus, countries: Countries, run: EstimationRun) -> None:
    """Ask every capital, and compare what the run says of sources and queries."""
    async with runtime.database.begin() as session:
        disputed = await disputes.count(session, run)
        reliabilities = await current_reliabilities(session, corpus)
    _capitals(report, countries.capital_queries, await _replies(runtime, corpus, countries.capital_queries))
    rows = [_source(countries, source) for source in reliabilities.sources]
    _sources(report, rows)
    report.figure("queries", len(countries.queries))
    report.figure("disputes", disputed)
    report.figure("disputes_share", disputed / len(countries.queries))
    report.table(
        "Queries with votes for several answers",
        ["queries", "called disputes", "aim"],
        [[len(countries.queries), disputed, f"at most {AIM_DISPUTES * len(countries.queries):.0f}"]],
    )


async def _replies(runtime: Runtime, corpus: Corpus, queries: Sequence[Query]) -> Mapping[str, list[Reply]]:
    replies: dict[str, list[Reply]] = {DEFAULT: [], WEIGHTED: [], MAJORITY: [], PLAIN: []}
    for query in queries:
        replies[DEFAULT].append(await ask(runtime, corpus, query.text))
        of_all, _ = await asked(runtime, corpus, query.text, ALL_SOURCES)
        replies[WEIGHTED].append(reply_of(query.text, of_all))
        replies[MAJORITY].append(majority(query.text, [source.answer for source in of_all.selected_sources]))
        replies[PLAIN].append(await plain_rag(runtime, corpus, query.text))
    return replies


def majority(question: str, answers: Sequence[str]) -> Reply:
    """The answer of most sources, of equals the first, with its share of them as confidence."""
    if not answers:
        return Reply(question, ())
    keys = [answer_key(answer) for answer in answers]
    ((most, count),) = Counter(keys).most_common(1)
    return Reply(question, (answers[keys.index(most)],), count / len(answers))


def _capitals(report: Report, queries: Sequence[Query], replies: Mapping[str, list[Reply]]) -> None:
    rows: list[list[Cell]] = []
    wrong: list[list[Cell]] = []
    for method, of_method in replies.items():
        verdicts = [_is_right(query, reply) for query, reply in zip(queries, of_method, strict=True)]
        certain = [
            reply for reply, right in zip(of_method, verdicts, strict=True)
            if reply.answers and not right and reply.confidence > CERTAIN
        ]  # fmt: skip
        answered = sum(bool(reply.answers) for reply in of_method)
        rows.append([method, len(queries), sum(verdicts), answered, len(certain)])
        report.figure(f"capitals/{method}/right", sum(verdicts) / len(queries))
        report.figure(f"capitals/{method}/answered", answered / len(queries))
        report.figure(f"capitals/{method}/wrong_certain", len(certain))
        wrong += [
            [method, query.text, reply.answer or reply.reason, f"{reply.confidence:.2f}", query.golds[0]]
            for query, reply, right in zip(queries, of_method, verdicts, strict=True)
            if not right and method == DEFAULT
        ]
    rows.append(["aim", None, f"at least {AIM_RIGHT * len(queries):.0f}", None, 0])
    columns = ["method", "capitals", "right", "answered", f"wrong above {CERTAIN}"]
    report.table("Capitals of all countries", columns, rows)
    report.table("Capitals not right, as it comes", ["method", "question", "reply", "confidence", "gold"], wrong)


def _is_right(query: Query, reply: Reply) -> bool:
    return reply.answer is not None and is_named(reply.answer, query.golds)


def _source(countries: Countries, source: SourceReliability) -> SourceRow:
    facts = {(query.country, query.relation) for query in countries.queries}
    own = {statement: right for statement, right in countries.right.items() if statement.source == source.name}
    on_asked = [right for statement, right in own.items() if (statement.country, statement.relation) in facts]
    return SourceRow(
        source.name,
        nan if source.reliability is None else source.reliability,
        (sum(on_asked), len(on_asked)),
        (sum(own.values()), len(own)),
    )


def _sources(report: Report, sources: Sequence[SourceRow]) -> None:
    rows: list[list[Cell]] = [
        [row.name, f"{row.reliability:.2f}", f"{row.share:.2f}", _of(row.asked), _of(row.stated)]
        for row in sorted(sources, key=lambda row: -row.reliability)
    ]
    columns = ["source", "reliability", "share right", "right, of what queries ask", "right, of all statements"]
    report.table("Reliabilities beside the statements of the sources, by rules and agreement", columns, rows)
    correlation = _spearman([row.reliability for row in sources], [row.share for row in sources])
    in_all = _spearman([row.reliability for row in sources], [row.stated[0] / row.stated[1] for row in sources])
    low = [row.name for row in sources if row.reliability < LOW_RELIABILITY and row.share >= RIGHT_SHARE]
    report.figure("spearman", correlation)
    report.figure("spearman_all_statements", in_all)
    report.figure("right_but_unreliable", len(low))
    report.table(
        "Spearman of reliability and the share of right statements",
        ["of what queries ask", "of all statements", f"below {LOW_RELIABILITY}, and {RIGHT_SHARE} or more right"],
        [[f"{correlation:.2f}", f"{in_all:.2f}", len(low)], [f"aim {AIM_SPEARMAN}", None, "aim 0"]],
    )  # fmt: skip


def _spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """NaN where one of them does not vary."""
    known = [pair for pair in zip(first, second, strict=True) if not any(map(isnan, pair))]
    if min(len({a for a, _ in known}), len({b for _, b in known})) < 2:
        return nan
    from scipy.stats import spearmanr  # noqa: PLC0415  (takes most of a second)

    return float(spearmanr(known).statistic)


def _of(counts: tuple[int, int]) -> str:
    return "{} of {}".format(*counts)
