"""Debates by the service's own rule, with reliabilities that it estimated: `python -m benchmarks.debate.in_service`.

The questions of RAMDocs that trained no model are queries without labels of one corpus, whose documents are dealt to
nine sources, five right nine times in ten and four one time in ten. The service estimates their reliabilities, then
answers the reported questions: with the estimates, with the true reliabilities set by an operator, and with one
reliability for all. Agents are the compact reader; with `--model` those of a language model debate as well. Counted are
debates, conflict scores and answers side by side that saw a document of a source whose vote has no positive weight.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from answering.debates.schema import FirstReading, Unaggregated
from answering.models import Chat
from answering.readers import CompactReader
from benchmarks.data.ramdocs import RELIABILITIES, Question, load_questions
from benchmarks.data.splits import Part
from benchmarks.debate import BENCHMARK
from benchmarks.debate.scores import matches, score
from benchmarks.harness import CannotMeasureError, Cell, Report, bootstrap_mean, database, progress, run
from benchmarks.harness.language_model import StandIn, add_model_options, foretell, language_model
from benchmarks.harness.reliability import Judged, bins_of
from benchmarks.multisource.service import add_queries, asked, estimated, publish
from estimator.errors import CredenceError
from registry.answers.result_schemas import AnswerResult, Decider
from registry.answers.schemas import AnswerParameters, Strategy
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.reliabilities import current_reliabilities
from registry.sources.schemas import OverrideInput
from tests.fakes.scripted_chat import ChatCall, ScriptedChat

QUICK_QUESTIONS = 5
PATIENCE = 600.0
VOTE = "vote"
KNOWN = ESTIMATED, GIVEN, ALIKE = "estimated", "given", "all alike"
_BY_READER = {"rounds": 1, "aggregator": False, "first": FirstReading.READER}


def _madam(**parameters: object) -> AnswerParameters:
    return AnswerParameters.model_validate({"strategy": "madam", "madam": parameters})


STRATEGIES: Mapping[str, AnswerParameters] = {
    VOTE: AnswerParameters(),
    "auto": AnswerParameters(strategy=Strategy.AUTO),
    "reader, majority": _madam(**_BY_READER),
    "every reading": _madam(**_BY_READER, unaggregated=Unaggregated.EVERY),
}
BY_MODEL: Mapping[str, AnswerParameters] = {"madam T=1": _madam(rounds=1)}


class UnexpectedCall(CredenceError):
    """A strategy that needs no language model called one."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A result, and the sources whose documents were used in it."""

    result: AnswerResult
    saw: frozenset[UUID]

    @property
    def is_debate(self) -> bool:
        """Whether documents were debated or answers shown side by side."""
        return self.result.debate is not None or self.result.decided_by is Decider.READINGS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    add_model_options(parser)
    parser.add_argument("--questions", type=int, default=None)


def measure(report: Report) -> None:
    """Strategies in the service by what is known of the sources."""
    path = report.folder("ramdocs") / "ramdocs_dev.jsonl"
    most = QUICK_QUESTIONS if report.options.quick else report.options.extra.questions
    reported = load_questions(path, most)
    others = [] if report.options.quick else load_questions(path, part=Part.CALIBRATION)
    chat: Chat | None = None
    strategies = STRATEGIES
    try:
        chat = language_model(report.options.extra.model)
        strategies = {**STRATEGIES, **BY_MODEL}
    except CannotMeasureError as reason:
        report.rival_skipped("debates with a language model", str(reason))
    asyncio.run(_measure(report, reported, others, chat, strategies))


def _unexpected(call: ChatCall) -> str:
    raise UnexpectedCall(call.message)


async def _measure(
    report: Report,
    reported: Sequence[Question],
    others: Sequence[Question],
    chat: Chat | None,
    strategies: Mapping[str, AnswerParameters],
) -> None:
    rows: list[list[Cell]] = []
    confidences: list[list[Cell]] = []
    with database.temporary_server() as (url, _):
        async with database.opened(url, CompactReader(), answer_timeout_seconds=PATIENCE) as opened:
            runtime = replace(opened, chat=chat)
            # A debate of readings needs a language model in name only.
            in_name = replace(_without_scores(opened), chat=chat or ScriptedChat(_unexpected))
            corpus, source_ids = await loaded(runtime, [*reported, *others])
            await estimated(runtime, corpus, "auto")
            await _tabulate_sources(report, runtime, corpus, source_ids)
            if chat is not None:
                stand_in = StandIn(chat.name)
                rehearsing = replace(in_name, chat=stand_in)
                for parameters in BY_MODEL.values():
                    await _answered(rehearsing, corpus, reported[0], parameters)
                if not foretell(report, stand_in.usage, 1 / (len(KNOWN) * len(reported))):
                    return
            for known in KNOWN:
                await _set(runtime, corpus, source_ids, known)
                for name, parameters in strategies.items():
                    asked_in = runtime if parameters.strategy is Strategy.AUTO else in_name
                    answers = [await _answered(asked_in, corpus, question, parameters) for question in reported]
                    if name == VOTE:
                        confidences += _confidences(known, reported, answers)
                    rows.append(await _row(report, runtime, corpus, (known, name), reported, answers))
                    progress(f"{known}: {name}")
    title = f"RAMDocs in the service, {len(reported)} questions, by what is known of the sources; 95 % intervals"
    columns = [
        "reliabilities",
        "strategy",
        "strict",
        "precision",
        "recall",
        "F1",
        "debates",
        "saw an unreliable source",
    ]
    report.table(title, columns, rows)
    columns = ["reliabilities", "confidence", "answers", "mean confidence", "right"]
    report.table("Confidence of the vote, the share of right answers with 95 % intervals", columns, confidences)


def _confidences(known: str, questions: Sequence[Question], answers: Sequence[Answered]) -> list[list[Cell]]:
    """Whether the first answer is one of the right ones, by confidence."""
    rated = [
        (result.confidence, any(matches(result.answers[0], gold) for gold in question.gold))
        for question, result in zip(questions, (each.result for each in answers), strict=True)
        if result.answers
    ]
    confidence, right = (np.array(values) for values in zip(*rated, strict=True))
    return [
        [
            known,
            f"{bin_.lower:.1f} to {bin_.upper:.1f}",
            bin_.count,
            f"{bin_.confidence:.3f}",
            f"{bin_.right:.3f} [{bin_.low:.3f}, {bin_.high:.3f}]",
        ]
        for bin_ in bins_of(Judged(confidence, right))
    ]


def _without_scores(runtime: Runtime) -> Runtime:
    """Conflict scores take longer than everything else, and `auto` alone decides by them."""
    return replace(runtime, settings=runtime.settings.model_copy(update={"conflict_judge": AnswerJudge.NONE}))


async def loaded(runtime: Runtime, questions: Sequence[Question]) -> tuple[Corpus, list[UUID]]:
    """A corpus with all documents and queries, and its sources in the order of their numbers."""
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name="ramdocs"))
    by_source: defaultdict[str, list[DocumentInput]] = defaultdict(list)
    for question in questions:
        for document in question.documents:
            # Some texts are binary files in part, which the service refuses.
            content = document.text.replace("\0", " ")
            document_input = DocumentInput(external_id=f"{question.id}-{document.id}", content=content)
            by_source[str(document.source)].append(document_input)
    names = [f"source {number}" for number in range(len(RELIABILITIES))]
    source_ids = [await publish(runtime, corpus, name, by_source[name]) for name in names]
    await add_queries(runtime, corpus, {question.id: question.text for question in questions})
    return corpus, source_ids


async def _set(runtime: Runtime, corpus: Corpus, source_ids: Sequence[UUID], known: str) -> None:
    """Override no reliability, or each by its true value, or all by the best."""
    if known == ESTIMATED:
        return
    async with runtime.database.begin() as session:
        for source_id, reliability in zip(source_ids, RELIABILITIES, strict=True):
            value = reliability if known == GIVEN else max(RELIABILITIES)
            override = OverrideInput(reliability=value, reason="benchmark")
            await sources.set_override(session, corpus, source_id, override, created_by="benchmark")


async def _answered(runtime: Runtime, corpus: Corpus, question: Question, parameters: AnswerParameters) -> Answered:
    result, _ = await asked(runtime, corpus, question.text, parameters)
    return Answered(result, frozenset(seen(result)))


def seen(result: AnswerResult) -> Iterator[UUID]:
    """Sources of the documents debated, of the evidence of the conflict score, and of answers side by side."""
    if result.debate is not None:
        yield from (document.source_id for document in result.debate.documents)
    for claim in result.conflict_score.claims if result.conflict_score else ():
        sides = (*claim.supporting, *claim.contradicting, *claim.reporting)
        yield from (item.source_id for item in sides if item.source_id is not None)
    if result.decided_by is Decider.READINGS:
        yield from (source.source_id for source in result.selected_sources if source.supports)


async def _row(
    report: Report,
    runtime: Runtime,
    corpus: Corpus,
    names: tuple[str, str],
    questions: Sequence[Question],
    answers: Sequence[Answered],
) -> list[Cell]:
    async with runtime.database.begin() as session:
        known = await current_reliabilities(session, corpus)
    takes_part = known.electorate().takes_part
    unreliable = {source.source_id for source in known.sources if not takes_part(source.source_id)}
    saw = sum(bool(answered.saw & unreliable) for answered in answers)
    scores = [
        score(answered.result.answers, question.gold, question.wrong)
        for question, answered in zip(questions, answers, strict=True)
    ]
    for figure, values in (("strict", [each.strict for each in scores]), ("F1", [each.f1 for each in scores])):
        report.figure(f"in service/{'/'.join(names)}/{figure}", float(bootstrap_mean(values).mean))
    report.figure(f"in service/{'/'.join(names)}/saw an unreliable source", saw / len(answers))
    measures = ([getattr(each, name) for each in scores] for name in ("strict", "precision", "recall", "f1"))
    debates = sum(answered.is_debate for answered in answers)
    return [*names, *(str(bootstrap_mean(values)) for values in measures), debates, f"{saw} of {len(answers)}"]


async def _tabulate_sources(report: Report, runtime: Runtime, corpus: Corpus, source_ids: Sequence[UUID]) -> None:
    async with runtime.database.begin() as session:
        known = await current_reliabilities(session, corpus)
    electorate, by_id = known.electorate(), {source.source_id: source for source in known.sources}
    rows: list[list[Cell]] = [
        [
            f"source {number}",
            truth,
            f"{by_id[source_id].reliability or 0:.2f}",
            by_id[source_id].vote_count,
            f"{electorate.weight(source_id):+.2f}",
            "yes" if electorate.takes_part(source_id) else "no",
        ]
        for number, (source_id, truth) in enumerate(zip(source_ids, RELIABILITIES, strict=True))
    ]
    report.table("The sources", ["source", "true", "estimated", "votes", "weight", "takes part"], rows)


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="debate.in_service"), measure, add_options=add_options))
