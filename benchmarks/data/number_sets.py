"""Public sets of claims that are numbers, with what is true.

Flights: times of the clock that sites state, in minutes (Li et al., VLDB 2012); a time after midnight is the small
number that it is. Of two claims of a site the first counts. Countries: area and population, as far as a data set states
them (`benchmarks.data.countries`); true is what the newest of them does, the Factbook of 2026, which does not vote.
Forecasts: the probability that researchers give to the replication of a finding; true is 1 or 0 (Gordon et al., PLOS
ONE 2021).
"""

import csv
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data.countries import stated

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
FLIGHT_TIMES = ("scheduled_departure", "actual_departure", "scheduled_arrival", "actual_arrival")
_TRUE_OF_COUNTRIES = "CIA World Factbook 2026"
_CLOCK = re.compile(r"(\d\d):(\d\d)")


@dataclass(frozen=True, slots=True, eq=False)
class NumberSet:
    """V claims of N sources on M things, and (M,) what is true, NaN where unknown."""

    name: str
    query: Integers
    source: Integers
    value: Floats
    truth: Floats
    source_count: int
    near: float
    """An answer that is not further off counts as right."""
    is_relative: bool = False
    """Whether errors are shares of the truth."""

    def errors(self, answer: Floats) -> Floats:
        """Of the answers (M,) where the truth is known."""
        known = ~np.isnan(self.truth)
        error = np.abs(answer - self.truth)[known]
        return np.asarray(error / self.truth[known] if self.is_relative else error)


def drawn(queries: int = 2_000, sources: int = 100, votes: int = 10, seed: int = 5) -> NumberSet:
    """Ten of a hundred sources vote on each query, whose errors are normal and their scales lognormal: no two votes are
    equal, and no sources err together.
    """
    random = np.random.default_rng(seed)
    truth, scale = random.normal(0, 1, queries), random.lognormal(0, 1, sources)
    query = np.repeat(np.arange(queries), votes)
    source = np.argsort(random.random((queries, sources)), axis=1)[:, :votes].ravel()
    value = truth[query] + scale[source] * random.normal(size=query.size)
    return NumberSet("drawn, normal errors", query, source, value, truth, sources, near=0.1)


def flights(folder: Path, attribute: str, days: int) -> NumberSet:
    """The times of one attribute on the first so many days."""
    names = {(row["table"], row["id"]): row["name"] for row in _rows(folder / "names.csv.gz")}
    claims: dict[tuple[str, str], float] = {}
    for row in _rows(folder / "claims.csv.gz"):
        if names["attribute", row["attribute"]] == attribute and int(row["day"]) < days:
            minutes = _minutes(names["value", row["value"]])
            if minutes is not None:
                claims.setdefault((f"{row['day']} {row['object']}", row["source"]), minutes)
    truth = {
        f"{row['day']} {row['object']}": _minutes(names["value", row["value"]])
        for row in _rows(folder / "gold.csv.gz")
        if names["attribute", row["attribute"]] == attribute
    }
    known = {query: minutes for query, minutes in truth.items() if minutes is not None}
    return _assembled(f"flights, {attribute.replace('_', ' ')}", claims, known, near=0.0)


def countries(folder: Path, fact: str) -> NumberSet:
    """The area or population of countries."""
    claims: dict[tuple[str, str], float] = {}
    with gzip.open(folder / "documents.ndjson.gz", "rt", encoding="utf-8") as file:
        for document in map(json.loads, file):
            said = stated(re.sub(r"<[^>]+>", "\n", document["content"]), fact)
            digits = re.match(r"[\d.,]*\d", said or "")
            if digits:
                number = float(digits[0].replace(",", ""))
                claims.setdefault((document["external_id"], document["source"]), number)
    truth = {query: claims.pop((query, source)) for query, source in list(claims) if source == _TRUE_OF_COUNTRIES}
    truth = {query: number for query, number in truth.items() if number > 0}
    return _assembled(f"countries, {fact}", claims, truth, near=0.01, is_relative=True)


def forecasts(folder: Path) -> NumberSet:
    """The forecasts of replications."""
    rows = _rows(folder / "forecasts.csv.gz")
    claims = {(row["study"], row["forecaster"]): float(row["probability"]) for row in rows}
    truth = {row["study"]: float(row["replicated"]) for row in _rows(folder / "studies.csv.gz")}
    return _assembled("forecasts of replications", claims, truth, near=0.5)


def _assembled(
    name: str,
    claims: Mapping[tuple[str, str], float],
    truth: Mapping[str, float],
    near: float,
    is_relative: bool = False,
) -> NumberSet:
    queries, sources = (sorted({pair[place] for pair in claims}) for place in (0, 1))
    query_of, source_of = ({each: number for number, each in enumerate(names)} for names in (queries, sources))
    return NumberSet(
        name,
        np.array([query_of[query] for query, _ in claims]),
        np.array([source_of[source] for _, source in claims]),
        np.array(list(claims.values())),
        np.array([truth.get(query, np.nan) for query in queries]),
        len(sources),
        near,
        is_relative,
    )


def _minutes(clock: str) -> float | None:
    found = _CLOCK.fullmatch(clock)
    return 60.0 * int(found[1]) + int(found[2]) if found else None


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
