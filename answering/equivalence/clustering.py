"""Clustering of answers that probably mean the same.

Pairs are found by blocking, as in entity resolution: only answers with a blocking key in common are compared. Every two
answers of a cluster match (complete linkage), so no chain of matches joins what differs.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations, permutations

from answering.equivalence.matching import is_extended_by, is_same
from answering.equivalence.parsed_answer import ParsedAnswer, parse_answer
from answering.equivalence.spelling import typo_key
from answering.equivalence.values import Value, ValueKind
from answering.equivalence.values.units import System

MAX_BLOCK = 100
"""Of more answers with one blocking key, only the most frequent are compared."""

# Two quantities within 1 % of each other are at most one step of 2 % apart.
_CONVERSION_STEP = math.log(1.02)


def cluster(spellings: Mapping[str, str]) -> list[list[str]]:
    """The keys in clusters of which every two match. `spellings` has a spelling for every key, the most frequent first.

    More frequent keys choose their cluster first, so the result depends on counts and not on the order of arrival.
    """
    matches = _matches({key: parse_answer(spelling) for key, spelling in spellings.items()})
    clusters: list[list[str]] = []
    cluster_of: dict[str, list[str]] = {}
    rank = {key: position for position, key in enumerate(spellings)}
    for key in spellings:
        placed = sorted((other for other in matches[key] if other in cluster_of), key=rank.__getitem__)
        home = next((cluster_of[other] for other in placed if matches[key].issuperset(cluster_of[other])), None)
        if home is None:
            home = []
            clusters.append(home)
        home.append(key)
        cluster_of[key] = home
    return clusters


def blocking_keys(answer: ParsedAnswer) -> Iterator[Hashable]:
    """Keys of which two answers have at least one in common if they are the same or one extends the other."""
    yield "typo", tuple(map(typo_key, answer.words))
    yield "joined", answer.joined
    yield "singular", answer.singular
    for spelling in (*answer.spellings, *answer.short_forms):
        yield "words", spelling
    for name in answer.names:
        yield "name", name[-1], name[0][0]
    if answer.items:
        yield "items", tuple(item[-1] for item in answer.items)
    if answer.acronym:
        yield "acronym", answer.acronym
    for value in filter(None, (answer.value, answer.embedded_value)):
        yield from _value_keys(value)


def _value_keys(value: Value) -> Iterator[Hashable]:
    yield "value", value.key
    if value.magnitude is None:
        return
    yield "magnitude", value.magnitude
    if value.kind is ValueKind.TIME:
        yield "clock", value.magnitude % 720
    if value.unit and value.unit.system is not System.OTHER and (base := abs(value.unit.to_base(value.magnitude))):
        step = math.floor((math.log(base.numerator) - math.log(base.denominator)) / _CONVERSION_STEP)
        yield "measure", value.unit.dimension, step
        yield "measure", value.unit.dimension, step + 1


def _matches(answers: Mapping[str, ParsedAnswer]) -> dict[str, set[str]]:
    """For every key the keys that may share its cluster."""
    matches: dict[str, set[str]] = {key: set() for key in answers}
    extensions: dict[str, set[str]] = {key: set() for key in answers}
    for key, other in _pairs(answers):
        if is_same(answers[key], answers[other]):
            matches[key].add(other)
            matches[other].add(key)
        else:
            for short, long in permutations((key, other)):
                if is_extended_by(answers[short], answers[long]):
                    extensions[short].add(long)
    for key, longer in extensions.items():
        if _agree(longer, matches, extensions):
            matches[key] |= longer
            for other in longer:
                matches[other].add(key)
    return matches


def _pairs(answers: Mapping[str, ParsedAnswer]) -> Iterator[tuple[str, str]]:
    """The pairs with a blocking key in common, each once."""
    blocks: defaultdict[Hashable, list[str]] = defaultdict(list)
    for key, answer in answers.items():
        for blocking_key in frozenset(blocking_keys(answer)):
            if len(blocks[blocking_key]) < MAX_BLOCK:
                blocks[blocking_key].append(key)
    return iter(dict.fromkeys(pair for keys in blocks.values() for pair in combinations(keys, 2)))


def _agree(longer: set[str], matches: Mapping[str, set[str]], extensions: Mapping[str, set[str]]) -> bool:
    """Whether all extensions of an answer go together: `Varn` is neither Ilse Varn nor Karl Varn if both are there."""
    return len(longer) <= MAX_BLOCK and all(
        other in matches[key] or other in extensions[key] or key in extensions[other]
        for key, other in combinations(longer, 2)
    )
