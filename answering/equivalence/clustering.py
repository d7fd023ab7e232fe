"""Matching of answers that probably mean the same, and their clusters.

Typing errors, order, titles, and more or fewer words match; answers that differ in numbers, dates, ordinals, negations,
directions, junior and senior never do.

Pairs are found by blocking, as in entity resolution: only answers with a blocking key in common are compared. Every two
answers of a cluster match (complete linkage), so no chain of matches joins what differs.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from answering.equivalence.parsed_answer import ParsedAnswer, parse_answer
from answering.equivalence.person_names import Name, abbreviates
from answering.equivalence.spelling import is_distinguishing, is_typo, typo_key
from answering.equivalence.values import Value, ValueKind
from answering.equivalence.values.units import System

CONVERSION_TOLERANCE = Fraction(1, 100)
"""Relative difference between a metric and an imperial quantity, as in 26 miles and 42 km; within a system it is 0."""

MAX_BLOCK = 100
"""Of more answers with one blocking key, only the most frequent are compared."""

# Two quantities within 1 % of each other are at most one step of 2 % apart.
_CONVERSION_STEP = math.log(1.02)


def cluster(spellings: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The keys in clusters of which every two match, by the first spelling of each. The most frequent keys come first.

    More frequent keys choose their cluster first, so the result depends on counts and not on the order of arrival.
    """
    matches = _matches({key: parse_answer(spelling) for key, (spelling, *_) in spellings.items()})
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


def is_same(answer: ParsedAnswer, other: ParsedAnswer) -> bool:
    """Whether two answers say the same in other spellings, neither more precisely than the other. Symmetric."""
    if answer.value and other.value:
        return answer.value.key == other.value.key or _is_converted(answer.value, other.value)
    if answer.value or other.value or answer.titles != other.titles:
        return False
    if answer.distinguishing != other.distinguishing:
        return answer.joined == other.joined and answer.numbers == other.numbers
    if answer.spellings & other.spellings or answer.names & other.names:
        return True
    return _is_respelled(answer, other) or (bool(answer.items) and answer.items == other.items)


def is_extended_by(short: ParsedAnswer, long: ParsedAnswer) -> bool:
    """Whether `long` says what `short` says and more: a first name, a title, a unit, a clause."""
    if short.value:
        return _value_is_extended_by(short.value, long)
    if long.value or (short.titles and long.titles and short.titles != long.titles):
        return False
    if short.words == long.words:
        return short.titles < long.titles
    if short.is_acronym and not long.is_acronym and short.acronym == long.acronym:
        return short.numbers == long.numbers
    return short.words in long.short_forms or _is_named_more_fully(short, long)


def _value_is_extended_by(value: Value, long: ParsedAnswer) -> bool:
    if long.value:
        return _adds_unit(value, long.value) or _adds_zone(value, long.value)
    if long.embedded_value is None:
        return False
    return long.embedded_value.key == value.key or _adds_unit(value, long.embedded_value)


def _is_respelled(answer: ParsedAnswer, other: ParsedAnswer) -> bool:
    if answer.joined == other.joined:
        return True
    if answer.singular == other.singular and (answer.is_common_noun or other.is_common_noun):
        return True
    return len(answer.words) == len(other.words) and all(map(_is_nearly, answer.words, other.words))


def _is_nearly(word: str, other: str) -> bool:
    return word == other or (is_typo(word, other) and not is_distinguishing(word) and not is_distinguishing(other))


def _is_named_more_fully(short: ParsedAnswer, long: ParsedAnswer) -> bool:
    if short.distinguishing != long.distinguishing:
        return False
    if any(abbreviates(name, long_name) for name in short.names for long_name in long.names):
        return True
    if len(short.items) != len(long.items) or short.items == long.items:
        return False
    return all(map(_equals_or_abbreviates, short.items, long.items))


def _equals_or_abbreviates(short: Name, long: Name) -> bool:
    return short == long or abbreviates(short, long)


def _adds_unit(short: Value, long: Value) -> bool:
    kinds = (short.kind, long.kind)
    return kinds == (ValueKind.NUMBER, ValueKind.QUANTITY) and short.magnitude == long.magnitude


def _adds_zone(short: Value, long: Value) -> bool:
    """3 pm and 3 pm EST, 9:30 and 9:30 am."""
    if short.kind is not ValueKind.TIME or long.kind is not ValueKind.TIME or " " in short.text:
        return False
    if short.magnitude is None or long.magnitude is None or short.text == long.text:
        return False
    if short.text.endswith("?"):
        return short.magnitude % 720 == long.magnitude % 720
    return short.magnitude == long.magnitude and " " in long.text


def _is_converted(value: Value, other: Value) -> bool:
    """Whether two quantities are equal after conversion and rounding; degrees must convert exactly."""
    if value.unit is None or other.unit is None or value.magnitude is None or other.magnitude is None:
        return False
    if {value.unit.system, other.unit.system} != {System.METRIC, System.IMPERIAL} or value.unit.offset:
        return False
    base, other_base = value.unit.to_base(value.magnitude), other.unit.to_base(other.magnitude)
    is_close = abs(base - other_base) <= CONVERSION_TOLERANCE * max(abs(base), abs(other_base))
    return value.unit.dimension == other.unit.dimension and is_close
