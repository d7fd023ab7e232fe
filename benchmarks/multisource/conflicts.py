"""Corpora of real conflicting passages: RGB en_fact, PoisonedRAG's NQ and ConflictNQ, dealt out to sources.

The passages are unchanged; which source publishes which is drawn as in the synthetic corpora. There is one false answer
a question, so that all sources that err agree, and votes alone cannot tell a majority of them from the truth.
PoisonedRAG has no true passages: they are its false ones with the right answer put back.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from answering.text import tokenize
from benchmarks.multisource.facts import Fact, says, swapped
from benchmarks.multisource.settings import Plan, spammer_subset
from benchmarks.multisource.synthetic import (
    HAMMER,
    SPAMMER,
    Document,
    Item,
    Prior,
    Publisher,
    Setting,
    Stance,
    SyntheticCorpus,
    UnusableFacts,
)
from benchmarks.multisource.traces import content_stems
from benchmarks.multisource.wordings import DOCUMENTS

SOURCES = 18
SUBSETS = (0, 1, 2, 3, 4, 5)
LONGEST_ANSWER = 8  # words


@dataclass(frozen=True, slots=True)
class Conflict:
    """A question with passages for its right answer, for one false answer, and for none."""

    fact: Fact
    true: tuple[str, ...]
    false: tuple[str, ...]
    noise: tuple[str, ...]


def load_rgb(folder: Path) -> list[Conflict]:
    """Web snippets, and the same ones with a false answer."""
    return [
        _conflict(
            f"rgb-{row['id']}",
            row["query"],
            _flat(row["answer"]),
            row["fakeanswer"],
            row["positive"],
            row["positive_wrong"],
            row["negative"],
        )
        for row in _lines(folder / "rgb" / "en_fact.json")
    ]


def load_poisonedrag(folder: Path) -> list[Conflict]:
    """Passages that a language model wrote to make readers give a false answer."""
    rows: Mapping[str, Any] = json.loads((folder / "poisonedrag" / "nq.json").read_text("utf-8"))
    made = []
    for name, row in rows.items():
        right, wrong = str(row["correct answer"]), str(row["incorrect answer"])
        false = [text for text in row["adv_texts"] if says(text, wrong) and not says(text, right)]
        true = [swapped(text, [wrong], right) for text in false]
        if false:
            made.append(_conflict(name, row["question"], [right], wrong, true, false, []))
    return made


def load_conflictnq(folder: Path) -> list[Conflict]:
    """Passages of Wikipedia and false ones; only questions whose answers are short and stand in the passages."""
    made = []
    for row in _lines(folder / "conflictnq" / "conflict_nq_val.jsonl"):
        right, wrong = str(row["real_short_answer"]), str(row["fake_short_answer"])
        true = [entry["passage"] for entry in row["real_passages"] if _stands(entry["passage"], right)]
        false = [entry["passage"] for entry in row["fake_passages"] if _stands(entry["passage"], wrong)]
        if true and false and max(len(right.split()), len(wrong.split())) <= LONGEST_ANSWER:
            made.append(_conflict(row["id"], row["cleaned_question"], [right], wrong, true, false, []))
    return made


LOADERS: Mapping[str, Callable[[Path], list[Conflict]]] = {
    "rgb": load_rgb,
    "poisonedrag": load_poisonedrag,
    "conflictnq": load_conflictnq,
}


def plan_of(name: str, count: int) -> Plan:
    """Half of the questions estimate reliability, the other half is answered."""
    setting = Setting(
        name, sources=SOURCES, prior=Prior.SPAMMER_HAMMER, spammers=SOURCES // 2, estimation=count // 2, test=count
    )
    subsets = {f"spammers={spammers}": spammer_subset(spammers) for spammers in SUBSETS}
    return Plan(setting, subsets, tuple(subsets))


def deal(plan: Plan, seed: int, conflicts: Sequence[Conflict]) -> SyntheticCorpus:
    """The corpus of a seed. Raises `UnusableFacts` for fewer than four questions."""
    if len(conflicts) < 4:
        raise UnusableFacts(f"{plan.setting.name} has {len(conflicts)} usable questions; at least 4 are needed")
    random = Random(f"{plan.setting.name}:{seed}")
    chosen = random.sample(list(conflicts), len(conflicts))
    dealt = [[_dealt(plan.setting, seed, source, conflict) for source in range(SOURCES)] for conflict in chosen]
    items = tuple(
        Item(
            conflict.fact,
            day >= plan.setting.estimation,
            day,
            tuple(stance for stance, _ in offers),
            tuple(_answer_of(conflict, stance) for stance, _ in offers),
        )
        for day, (conflict, offers) in enumerate(zip(chosen, dealt, strict=True))
    )
    publishers = tuple(
        Publisher(f"Source {source}", _reliability(source), _documents(source, chosen, dealt))
        for source in range(SOURCES)
    )
    return SyntheticCorpus(plan.setting, seed, publishers, items)


def _reliability(source: int) -> float:
    return SPAMMER if source < SOURCES // 2 else HAMMER


def _dealt(setting: Setting, seed: int, source: int, conflict: Conflict) -> tuple[Stance, tuple[str, ...]]:
    random = Random(f"{setting.name}:{seed}:{source}:{conflict.fact.id}")
    if random.random() >= setting.coverage:
        return Stance.IRRELEVANT, _some(conflict.noise, random)
    if random.random() < _reliability(source):
        return Stance.FACTUAL, _some(conflict.true, random)
    return Stance.MISINFORMATION, _some(conflict.false, random)


def _some(texts: Sequence[str], random: Random) -> tuple[str, ...]:
    return tuple(random.sample(list(texts), min(DOCUMENTS, len(texts))))


def _answer_of(conflict: Conflict, stance: Stance) -> str | None:
    return {Stance.FACTUAL: conflict.fact.golds[0], Stance.MISINFORMATION: conflict.fact.wrong[0]}.get(stance)


def _documents(
    source: int, chosen: Sequence[Conflict], dealt: Sequence[Sequence[tuple[Stance, tuple[str, ...]]]]
) -> tuple[Document, ...]:
    return tuple(
        Document(f"{conflict.fact.id}-{number}", conflict.fact.title, text, "2020-01-01T00:00:00+00:00")
        for conflict, offers in zip(chosen, dealt, strict=True)
        for number, text in enumerate(offers[source][1])
    )


def _conflict(
    name: object,
    question: str,
    golds: Sequence[str],
    wrong: str,
    true: Sequence[str],
    false: Sequence[str],
    noise: Sequence[str],
) -> Conflict:
    fact = Fact(str(name), question, tuple(golds), (wrong,), "", "", ())
    kept = (tuple(text for text in dict.fromkeys(texts) if text.strip()) for texts in (true, false, noise))
    return Conflict(fact, *kept)


def _stands(text: str, answer: str) -> bool:
    """Whether a text contains every word of an answer except small ones."""
    return content_stems([answer]) <= content_stems([text]) and bool(tokenize(answer))


def _flat(answer: object) -> list[str]:
    """RGB gives an answer, several, or several spellings of each."""
    if isinstance(answer, list):
        return [text for part in answer for text in _flat(part)]
    return [str(answer)]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
