"""Votes of real sources with known truth, in one format: twelve public sets of six kinds.

`crowd` are labels of paid workers, `books` and `birthplaces` claims of web sites (`truth_sets`). Flights: 35 sites name
times and gates (Li et al. 2012, PVLDB 6(2)); of several values of a site the first counts. Models: language models
answer the questions of GSM8K; an answer is its number, or its words where it is none. Health: web sites say yes or no
to a question; of several pages of a site most decide, and sites that say both equally often say nothing. Forecasts:
researchers say above or below one half whether a finding will replicate.
"""

import csv
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.data.crowd import LabelledSet, load_crowd
from benchmarks.data.truth_sets import Claim, TruthSet, assembled, birthplaces, books
from estimator import VoteMatrix

CROWDS = ("rte", "trec", "web", "product", "sentiment", "zencrowd_us")


def real_sets(data: Path, *, flights_too: bool = True) -> Iterator[TruthSet]:
    """Every set whose folder is below `data`."""
    for name in CROWDS:
        if (data / "crowd" / name).is_dir():
            yield of_labels(name, load_crowd(data / "crowd" / name))
    loaders: dict[str, Callable[[Path], TruthSet]] = {
        "truth_book": lambda folder: books(folder)[1],
        "truth_birthplaces": birthplaces,
        "llm_panel_gsm": models,
        "health_pages_dev": health,
        "replication_forecasts": forecasts,
    }
    if flights_too:
        loaders["flight_first_half"] = flights
    for name, load in loaders.items():
        if (data / name).is_dir():
            yield load(data / name)


def of_labels(name: str, labelled: LabelledSet) -> TruthSet:
    """A set of labels; queries on which nobody gave the gold answer have no right one."""
    votes, gold = labelled.votes, labelled.gold
    given = set(zip(votes.class_query.tolist(), votes.class_answer.tolist(), strict=True))
    accepted = {
        query: frozenset({answer} if (query, answer) in given else ())
        for query, answer in enumerate(gold.tolist())
        if answer >= 0
    }
    return TruthSet(name, votes, tuple(map(str, range(votes.source_count))), accepted)


def flights(folder: Path) -> TruthSet:
    """The set `flight_first_half`; a query is an attribute of a flight on a day."""
    claims, gold = (
        np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1, dtype=np.int64) for name in ("claims", "gold")
    )
    rows = _rows(folder / "names.csv.gz")
    sources = tuple(row["name"] for row in sorted(rows, key=lambda row: int(row["id"])) if row["table"] == "source")
    most = 1 + np.maximum(claims[:, :3].max(axis=0), gold[:, :3].max(axis=0))
    item, of_gold = (np.ravel_multi_index(tuple(table[:, :3].T), tuple(most)) for table in (claims, gold))
    queries, query = np.unique(item, return_inverse=True)
    _, first = np.unique(query * len(sources) + claims[:, 3], return_index=True)
    votes = VoteMatrix.from_triples(
        query[first], claims[first, 3], claims[first, 4], query_count=queries.size, source_count=len(sources)
    )
    known = np.isin(of_gold, queries)
    truth = np.full(queries.size, -1)
    truth[np.searchsorted(queries, of_gold[known])] = gold[known, -1]
    return _with_sources("flights", of_labels("flights", LabelledSet(votes, truth)), sources)


def models(folder: Path) -> TruthSet:
    """The set `llm_panel_gsm`."""
    claims = [(row["model"], row["item"], row["number"] or row["answer"]) for row in _rows(folder / "answers.csv.gz")]
    truths = {row["item"]: frozenset({row["gold"]}) for row in _rows(folder / "gold.csv.gz")}
    return assembled("models, arithmetic", claims, truths)


def health(folder: Path) -> TruthSet:
    """The set `health_pages_dev`, by the stances that come with it."""
    said: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for page in _lines(folder / "pages.jsonl.gz"):
        if page["stance"] in {"yes", "no"}:
            said[page["site"], str(page["topic"])][page["stance"]] += 1
    claims: list[Claim] = [
        (site, topic, "yes" if count["yes"] > count["no"] else "no")
        for (site, topic), count in said.items()
        if count["yes"] != count["no"]
    ]
    truths = {str(row["topic"]): frozenset({str(row["answer"])}) for row in _lines(folder / "questions.jsonl.gz")}
    return assembled("health pages", claims, truths)


def forecasts(folder: Path) -> TruthSet:
    """The set `replication_forecasts`; a probability of one half says nothing."""
    claims: list[Claim] = [
        (row["forecaster"], row["study"], "yes" if float(row["probability"]) > 0.5 else "no")
        for row in _rows(folder / "forecasts.csv.gz")
        if row["probability"] and float(row["probability"]) != 0.5
    ]
    truths = {
        row["study"]: frozenset({"yes" if row["replicated"] == "1" else "no"})
        for row in _rows(folder / "studies.csv.gz")
    }
    return assembled("forecasts", claims, truths)


def _with_sources(name: str, truth: TruthSet, sources: tuple[str, ...]) -> TruthSet:
    return TruthSet(name, truth.votes, sources, truth.accepted)


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _lines(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
