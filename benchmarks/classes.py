"""`python -m benchmarks.classes`: the share of pairs of answers that fall into one class, on five public data sets, and
how many questions eleven data sets on countries dispute.

Pairs of the same answer: the answer of a right document of RAMDocs and its gold answer; spans that people marked for
one question (SQuADShifts, Wikipedia part); two spellings of the list of authors of a book; what two workers wrote for
one sentence or recording. Pairs of different answers: gold and wrong ones (RAMDocs, PoisonedRAG), answers to two
questions about one paragraph, authors of two books, texts of two sentences. Some spans that people mark are not the
same answer, and two questions may have the same, so that no method can reach 1 and 0. Pairs that SQuAD's normalisation
makes equal are left out. The policies get the question of a pair, where there is one. The rules were made with a look
at RAMDocs, the books, every other fact on countries and other parts of SQuADShifts, not at its Wikipedia part,
PoisonedRAG or the texts of workers.
"""

import csv
import gzip
import itertools
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from answering.equivalence import ClassPolicy, classify
from answering.text import squad_normalise
from benchmarks.data.countries import CountryFact, load_facts
from benchmarks.data.squad import load_articles
from benchmarks.harness import Benchmark, Headline, Report, run

_FUZZ = "rapidfuzz token set >= 90"
BENCHMARK = Benchmark(
    "classes",
    "answer classes: pairs of answers that are joined, and facts on countries that are disputed",
    page="classes",
    headlines=(
        *(
            Headline(
                f"share joined, {title}", f"{pairs}, rounded", {_FUZZ: f"{pairs}, {_FUZZ}"}, higher_is_better=higher
            )
            for title, pairs, higher in (
                ("two spellings of one list of authors", "Books: golden, silver authors", True),
                ("spans marked for one question", "SQuADShifts: spans of one question", True),
                ("answers to different questions", "SQuADShifts: two questions, one paragraph", False),
                ("gold and wrong answers", "RAMDocs: gold, wrong", False),
            )
        ),
        Headline(
            "disputed of 239 facts on countries that chose no rule",
            "disputed, not looked at: all, rounded",
            {policy: f"disputed, not looked at: all, {policy}" for policy in ("values", "exact")},
            higher_is_better=False,
        ),
    ),
)

QUICK_PAIRS = 1_500
FULL_PAIRS = 20_000
FUZZ_THRESHOLD = 90.0

Pair = tuple[str, str, str | None]
"""Two answers, and the question to the first."""
Meet = Callable[[str, str, str | None], bool]


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs that must all meet, or must all not."""

    name: str
    must_meet: bool
    pairs: tuple[Pair, ...]


def measure(report: Report) -> None:
    """Count, for every policy and rival, how many pairs of each set meet."""
    sets = [
        *_ramdocs(report.folder("ramdocs")),
        *_squadshifts(report.folder("reader_train")),
        *_books(report.folder("truth_book")),
        *_poisoned(report.folder("poisonedrag")),
        *_crowd(report.folder("answer_paraphrases")),
    ]
    limit = QUICK_PAIRS if report.options.quick else FULL_PAIRS
    sampled = [_sampled(pair_set, limit) for pair_set in sets]
    judges = _judges()
    _speed(report, sampled)
    rows = [_row(report, pair_set, judges) for pair_set in sampled]
    report.table("Share of pairs that meet", ["pairs", "must meet", "count", *judges], rows)
    _disputes(report, load_facts(report.folder("countries")))


def _judges() -> Mapping[str, Meet]:
    rivals: dict[str, Meet] = {
        "SQuAD normalisation": lambda answer, other, _: squad_normalise(answer) == squad_normalise(other),
        _FUZZ: _fuzzy,
    }
    return {policy.value: _policy_meets(policy) for policy in ClassPolicy} | rivals


def _policy_meets(policy: ClassPolicy) -> Meet:
    return lambda answer, other, question: len(classify([answer, other], policy, question).classes) == 1


def _fuzzy(answer: str, other: str, _: str | None) -> bool:
    return fuzz.token_set_ratio(squad_normalise(answer), squad_normalise(other)) >= FUZZ_THRESHOLD


def _row(report: Report, pair_set: PairSet, judges: Mapping[str, Meet]) -> list[str]:
    shares = {
        name: sum(meet(*pair) for pair in pair_set.pairs) / max(len(pair_set.pairs), 1) for name, meet in judges.items()
    }
    for name, share in shares.items():
        report.figure(f"{pair_set.name}, {name}", round(share, 4))
    return [
        pair_set.name,
        "yes" if pair_set.must_meet else "no",
        str(len(pair_set.pairs)),
        *(f"{s:.3f}" for s in shares.values()),
    ]


def _sampled(pair_set: PairSet, limit: int) -> PairSet:
    """At most `limit` pairs, drawn with a fixed seed."""
    if len(pair_set.pairs) <= limit:
        return pair_set
    return PairSet(pair_set.name, pair_set.must_meet, tuple(random.Random(0).sample(pair_set.pairs, limit)))


def _telling(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs that differ by more than case, punctuation, articles and white space, each once."""
    return tuple(
        pair for pair in dict.fromkeys(pairs) if all(pair[:2]) and squad_normalise(pair[0]) != squad_normalise(pair[1])
    )


def _ramdocs(folder: Path) -> Iterator[PairSet]:
    rows = [json.loads(line) for line in (folder / "ramdocs_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    yield PairSet("RAMDocs: right document, its gold", True, tuple(itertools.chain(*map(_right_pairs, rows))))
    wrong = (
        (gold, wrong, row["question"])
        for row in rows
        for gold, wrong in itertools.product(row["gold_answers"], row["wrong_answers"])
    )
    yield PairSet("RAMDocs: gold, wrong", False, _telling(wrong))
    golds = ((*pair, row["question"]) for row in rows for pair in itertools.combinations(row["gold_answers"], 2))
    yield PairSet("RAMDocs: golds of two entities", False, _telling(golds))


def _right_pairs(row: Mapping[str, Any]) -> Iterator[Pair]:
    """What each right document says, with the gold answer that shares most with it."""
    for document in row["documents"]:
        if document["type"] == "correct":
            answer = document["answer"]
            yield answer, max(row["gold_answers"], key=lambda gold: fuzz.ratio(answer, gold)), row["question"]


def _squadshifts(folder: Path) -> Iterator[PairSet]:
    articles = load_articles(folder / "squadshifts_new_wiki_v1.0.json.gz")
    paragraphs = [paragraph["qas"] for article in articles for paragraph in article["paragraphs"]]
    spans = [
        [(question["question"], [span["text"] for span in question["answers"]]) for question in paragraph]
        for paragraph in paragraphs
    ]
    same = (
        (*pair, question)
        for paragraph in spans
        for question, answers in paragraph
        for pair in itertools.combinations(answers, 2)
    )
    yield PairSet("SQuADShifts: spans of one question", True, _telling(same))
    other = (
        (first[0], second[0], question)
        for paragraph in spans
        for (question, first), (_, second) in itertools.combinations(paragraph, 2)
        if first and second
    )
    yield PairSet("SQuADShifts: two questions, one paragraph", False, _telling(other))


def _books(folder: Path) -> Iterator[PairSet]:
    """The golden list of each book (`Varn, Ilse H.; ...`) and the silver one (`Ilse Varn; ...`)."""
    golden, silver = (_authors(folder / f"book_{name}.txt") for name in ("golden", "silver"))
    both = sorted(golden.keys() & silver.keys())
    yield PairSet("Books: golden, silver authors", True, _telling((golden[isbn], silver[isbn], None) for isbn in both))
    others = ((golden[key], silver[other], None) for key in both for other in both if key != other)
    yield PairSet("Books: authors of two books", False, _telling(others))


def _authors(path: Path) -> dict[str, str]:
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    return {cells[0].strip(): cells[1].strip(" ;") for cells in lines if len(cells) > 1}


def _poisoned(folder: Path) -> Iterator[PairSet]:
    questions = json.loads((folder / "nq.json").read_text(encoding="utf-8")).values()
    pairs = ((each["correct answer"], each["incorrect answer"], each["question"]) for each in questions)
    yield PairSet("PoisonedRAG: right, wrong", False, _telling(pairs))


def _crowd(folder: Path) -> Iterator[PairSet]:
    """What two workers wrote for one sentence or recording, and for two that follow each other in the file."""
    with gzip.open(folder / "answers.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    items = [
        [row["answer"] for row in group]
        for _, group in itertools.groupby(rows, key=lambda row: (row["set"], row["item"]))
    ]
    same = ((*pair, None) for answers in items for pair in itertools.combinations(answers, 2))
    yield PairSet("Crowd: two workers, one text", True, _telling(same))
    other = ((first[0], second[0], None) for first, second in itertools.pairwise(items))
    yield PairSet("Crowd: two texts", False, _telling(other))


def _disputes(report: Report, facts: Sequence[CountryFact]) -> None:
    """On how many facts the sets disagree; old populations, areas and currencies differ under any policy."""
    rows = []
    for was_looked_at, half in ((True, "looked at"), (False, "not looked at")):
        for kind in ("all", *dict.fromkeys(fact.kind for fact in facts)):
            of_half = [fact for fact in facts if fact.was_looked_at == was_looked_at and kind in {"all", fact.kind}]
            disputed = {policy.value: sum(_is_disputed(fact, policy) for fact in of_half) for policy in ClassPolicy}
            for policy, count in disputed.items():
                report.figure(f"disputed, {half}: {kind}, {policy}", count)
            rows.append([half, kind, str(len(of_half)), *map(str, disputed.values())])
    report.table("Facts on countries of which there are several classes", ["half", "fact", "count", *ClassPolicy], rows)


def _is_disputed(fact: CountryFact, policy: ClassPolicy) -> bool:
    return len(classify(fact.answers, policy, fact.question).classes) > 1


def _speed(report: Report, sets: Iterable[PairSet]) -> None:
    """How long distinct answers of all sets take, as one query with a thousand sources; nothing is remembered yet."""
    answers = sorted({answer for pair_set in sets for pair in pair_set.pairs for answer in pair[:2]})
    chosen = random.Random(0).sample(answers, min(1_000, len(answers)))
    rows = []
    for policy in ClassPolicy:
        began = time.perf_counter()
        classified = classify(chosen, policy)
        seconds = time.perf_counter() - began
        report.figure(f"seconds for 1,000 answers, {policy}", round(seconds, 4))
        rows.append([policy.value, f"{1000 * seconds:.0f} ms", len(classified.classes)])
    report.table(f"{len(chosen)} distinct answers at once", ["policy", "time", "classes"], rows)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
