"""DRAG over a corpus that it can search: `python -m benchmarks.debate.searching`.

Questions of HotpotQA over its paragraphs and those of SQuAD, cut into passages and found by the embedder of the
service. Every debate begins with a search for the question, as in the paper (arXiv:2505.18581); rounds of either debate
are varied beside three of the other (section 5.2), and what the sides know (section 5.5). Calls are those of the
language model, in all and for the search.
"""

import argparse
import asyncio
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from answering.debates.drag import drag
from answering.debates.no_rag import no_rag
from answering.debates.protocol import SourceDocument
from answering.debates.schema import DragParameters
from answering.debates.support import contains_phrase
from answering.embedders import Embedder, Vectors
from answering.embedders.wordllama import WordLlamaEmbedder
from answering.judges.compact import CompactJudge
from answering.readers import CompactReader
from benchmarks.data.ramdocs import Question
from benchmarks.debate import BENCHMARK
from benchmarks.debate.asking import add_asking_options, ask_all
from benchmarks.debate.short import short_question, tabulate_short
from benchmarks.debate.strategies import NO_RAG, MakeDebate, StrategyRunner
from benchmarks.harness import Report, bootstrap_mean, run
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels
from registry.documents.extraction import chunk
from registry.documents.schemas import MediaType

SEED, QUESTIONS, CHARACTERS = 37, 20, 800
ROUNDS = range(5)
THREE = 3
FIRST = (3, 10, 30)
SETS = ("hotpotqa", "squad_train")


def _drag(**parameters: Any) -> MakeDebate:  # noqa: ANN401  (validated)
    return lambda question, _documents: drag(question, [], DragParameters(**parameters))


DEBATES: Mapping[str, MakeDebate] = {
    NO_RAG: lambda question, _documents: no_rag(question),
    "no debate": _drag(retrieval_rounds=0, response_rounds=0),
    **{f"search rounds {rounds}": _drag(retrieval_rounds=rounds) for rounds in ROUNDS},
    **{f"answer rounds {rounds}": _drag(response_rounds=rounds) for rounds in ROUNDS if rounds != THREE},
    "symmetric": _drag(symmetric=True),
    "informed judge": _drag(informed_judge=True),
    "all rounds": _drag(fixed_rounds=True),
}


@dataclass(frozen=True, slots=True)
class CorpusSearch:
    """A search over passages by the similarity of their embeddings."""

    embedder: Embedder
    passages: Sequence[str]
    vectors: Vectors

    async def search(self, query: str, *, limit: int, selected_only: bool) -> list[SourceDocument]:  # noqa: ARG002
        """The nearest passages; there is no selection to keep to."""
        (vector,) = await self.embedder.embed([query])
        nearest = np.argsort(-(self.vectors @ vector), kind="stable")[:limit]
        return [SourceDocument(str(number), self.passages[number]) for number in nearest]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    add_asking_options(parser, QUESTIONS)


def measure(report: Report) -> None:
    """All debates on the same questions, and the plot of their rounds."""
    folder = report.folder("reader_train") / "more"
    asyncio.run(_measure(report, folder))


async def _measure(report: Report, folder: Path) -> None:
    rows = {name: _rows(folder / f"{name}.jsonl.gz") for name in SETS}
    questions = [
        short_question(str(number), row["question"], {}, row["answers"]) for number, row in enumerate(rows["hotpotqa"])
    ]
    chosen = Random(SEED).sample(questions, report.options.extra.questions)
    searcher = await corpus_search([row["passage"] for name in SETS for row in rows[name]])
    await _found(report, searcher, questions)
    runner = StrategyRunner(CompactReader(), CompactJudge(), None, DEBATES, searcher)
    try:
        asked = None if report.options.quick else await ask_all(report, runner, chosen, tuple(DEBATES))
    finally:
        await runner.aclose()
    if asked is not None:
        title = f"HotpotQA over {len(searcher.passages):,} passages, {asked.model}"
        shares = tabulate_short(report, title, asked.done, chosen)
        if report.options.save is not None:
            _draw(report, title, shares)


async def corpus_search(texts: Sequence[str]) -> CorpusSearch:
    """The search over these texts, each once."""
    passages = [
        passage.content
        for text in dict.fromkeys(texts)
        for passage in chunk(text, MediaType.TEXT, characters=CHARACTERS)
    ]
    embedder = WordLlamaEmbedder()
    return CorpusSearch(embedder, passages, await embedder.embed(passages))


async def _found(report: Report, searcher: CorpusSearch, questions: Sequence[Question]) -> None:
    """How often the search for the question itself finds a passage with the words of the answer: no model is asked."""
    shares = []
    for limit in FIRST:
        found = [await searcher.search(question.text, limit=limit, selected_only=False) for question in questions]
        held = [
            any(contains_phrase(document.text, gold) for document in documents for gold in question.gold)
            for question, documents in zip(questions, found, strict=True)
        ]
        shares.append(bootstrap_mean(held))
        report.figure(f"answer among the first {limit}", shares[-1].mean)
    title = f"Questions whose answer stands in the first passages found, of {len(searcher.passages):,}"
    report.table(title, ["questions", *map(str, FIRST)], [[len(questions), *map(str, shares)]])


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["answers"]]


def _draw(report: Report, title: str, shares: Mapping[str, float]) -> None:
    names = {kind: [f"{kind} rounds {rounds}" for rounds in ROUNDS] for kind in ("search", "answer")}
    names["answer"][THREE] = names["search"][THREE]
    calls = {name: report.figures[f"{title}/{name}/calls"] for name in shares}
    panels = [
        Panel(label, ROUNDS, {f"of the debate on the {kind}": [of[name] for name in names[kind]] for kind in names})
        for label, of in (("right answers", shares), ("calls of the model", calls))
    ]
    lines = {"of the debate on the search": ("#0072b2", "-"), "of the debate on the answer": ("#d55e00", "-")}
    draw_panels(panels, PlotStyle("rounds", "", lines, top=None, shared=False), PLOTS / "debate-rounds.png")


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="debate.searching"), measure, add_options=add_options))
