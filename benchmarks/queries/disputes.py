"""Contradictions of new documents: what is found of false ones, and what is reported of true ones.

The demo: what its sources state rightly is published, then what others state wrongly, and what one more states rightly.
ConflictNQ: passages of encyclopaedias are published, then sentences of theirs with another answer in the place of their
own, the same sentences as they are, and the false passages that the data set brings.
"""

import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from answering.enums import JudgeKind
from answering.questions.writing import Fact, written_questions
from api.demo.corpus import DemoDocument, load_corpus
from benchmarks.harness import Report, progress
from benchmarks.multisource.service import publish
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.disputes.contradictions import ContradictionFinder
from registry.documents.extraction import extract
from registry.documents.schemas import DocumentInput, MediaType
from registry.runtime import Runtime
from registry.sources import store as sources

TRUE_SOURCE: Final = "harbour-authority"
"""Of the demo, whose right documents come as new ones."""
PUBLISHERS: Final = 5
ENOUGH: Final = 10**9
_SPACED: Final = re.compile(r" (?=[,.;:)'])|(?<=\() ")


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to look for contradictions of."""

    text: str
    is_false: bool


@dataclass(frozen=True, slots=True)
class Case:
    """What was published before, by source, and the new documents by what kind they are, true ones first: each kind is
    published when its turn comes, and stays.
    """

    name: str
    published: Mapping[str, Sequence[str]]
    new: Mapping[str, Sequence[NewDocument]]


async def measure_disputes(report: Report, runtime: Runtime) -> None:
    """Both cases."""
    cases = [demo_case(), conflictnq_case(report.folder("conflictnq") / "conflict_nq_val.jsonl")]
    rows = [row for case in cases for row in await _rows(report, runtime, case)]
    columns = [
        "corpus", "new documents", "number", "with a fact to ask", "reported", "reports", "readings", "import alone, s",
        "looking, s", "of it CPU, s",
    ]  # fmt: skip
    report.table("Contradictions of new documents", columns, rows)


def demo_case() -> Case:
    """What the demo's sources state rightly, then all that is wrong and what `TRUE_SOURCE` says."""
    corpus = load_corpus()
    wrong = {statement.document for statement in corpus.statements if not statement.right}
    stated = {statement.document for statement in corpus.statements}
    published: defaultdict[str, list[str]] = defaultdict(list)
    new: dict[str, list[NewDocument]] = {"true": [], "false": []}
    for document in corpus.documents:
        if document.external_id in wrong:
            new["false"].append(NewDocument(_plain(document), is_false=True))
        elif document.source == TRUE_SOURCE and document.external_id in stated:
            new["true"].append(NewDocument(_plain(document), is_false=False))
        else:
            published[document.source].append(_plain(document))
    return Case("demo", published, new)


def conflictnq_case(path: Path) -> Case:
    """The real passages, then their sentences with swapped answers, as they are, and the false passages."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    published: defaultdict[str, list[str]] = defaultdict(list)
    facts: list[Fact] = []
    for number, row in enumerate(rows):
        for passage in row["real_passages"]:
            text = _SPACED.sub("", passage["passage"])
            published[f"Publisher {number % PUBLISHERS}"].append(text)
            facts += [fact for _, fact in written_questions(text)][:1]
    swapped, whole = [], []
    for fact in facts:
        others = [other.answer for other in facts if other.kind is fact.kind and other.answer != fact.answer]
        if others:
            answer = random.Random(fact.sentence).choice(others)
            swapped.append(NewDocument(fact.sentence.replace(fact.answer, answer, 1), is_false=True))
            whole.append(NewDocument(fact.sentence, is_false=False))
    false = [NewDocument(row["fake_passages"][0]["passage"], is_false=True) for row in rows]
    return Case("ConflictNQ", published, {"as they are": whole, "false passages": false, "swapped": swapped})


async def _rows(report: Report, runtime: Runtime, case: Case) -> list[list[str]]:
    corpus = await _publish(runtime, case)
    rows, true_reports, false_reports = [], 0, 0
    for kind, new in case.new.items():
        name = f"New {kind}"
        began = time.perf_counter()
        await publish(runtime, corpus, name, _documents(document.text for document in new))
        imported = time.perf_counter() - began
        async with runtime.database.begin() as session:
            source = await sources.find(session, corpus, name)
        finder = ContradictionFinder(runtime, corpus, runtime.judges.of(JudgeKind.COMPACT), ENOUGH)
        began, began_cpu = time.perf_counter(), time.process_time()
        found = [await finder.of_document(source.id, document.text) for document in new]
        seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
        asked = sum(next(written_questions(document.text), None) is not None for document in new)
        reported, reports = sum(map(bool, found)), sum(map(len, found))
        numbers = (len(new), asked, reported, reports, ENOUGH - finder.readings)
        rows.append([case.name, kind, *map(str, numbers), *(f"{value:.2f}" for value in (imported, seconds, cpu))])
        are_false = bool(new) and new[0].is_false
        true_reports, false_reports = true_reports + reported * are_false, false_reports + reported * (not are_false)
        report.figures |= {
            f"disputes/{case.name}/{kind}/reported": reported / max(len(new), 1),
            f"disputes/{case.name}/{kind}/seconds a document": seconds / max(len(new), 1),
        }
        if report.options.extra.texts:
            columns = ["question", "new", "published", "probability"]
            reports_of = [each for one in found for each in one]
            shown = [[each.question, each.quote, each.other_quote, f"{each.probability:.2f}"] for each in reports_of]
            report.table(f"Reports of {case.name}, {kind}", columns, shown)
        progress(f"{case.name}, {kind}: {reported} of {len(new)} reported")
    report.figures[f"disputes/{case.name}/precision"] = true_reports / max(true_reports + false_reports, 1)
    return rows


async def _publish(runtime: Runtime, case: Case) -> Corpus:
    async with runtime.database.begin() as session:
        name = f"disputes-{case.name.lower()}"
        corpus = await corpora.create(session, CorpusInput(name=name, generate_queries=False))
    for source, texts in case.published.items():
        await publish(runtime, corpus, source, _documents(texts))
    return corpus


def _documents(texts: Sequence[str] | Iterator[str]) -> Iterator[DocumentInput]:
    return (DocumentInput(external_id=str(number), content=text) for number, text in enumerate(texts))


def _plain(document: DemoDocument) -> str:
    """As the service extracts it."""
    return extract(document.content, MediaType(document.media_type))
