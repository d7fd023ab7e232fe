"""Which classes of answers probably mean the same: every two of a merged class do, so no chain leads astray."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

from answering.equivalence.similarity import Form, extends, form, handles, same

MAX_BUCKET = 100
"""Of more answers with one trait in common, only those given first (the most frequent) are compared."""


def merged(spellings: Mapping[str, str]) -> list[list[str]]:
    """Keys in groups of which every two are alike. `spellings` has a spelling for every key, the most frequent first.

    The more frequent choose first, so the outcome depends on how often each was given, never on when.
    """
    alike = _alike({key: form(spelling) for key, spelling in spellings.items()})
    groups: list[list[str]] = []
    home: dict[str, list[str]] = {}
    rank = {key: at for at, key in enumerate(spellings)}
    for key in spellings:
        near = sorted((other for other in alike[key] if other in home), key=rank.__getitem__)
        group = next((home[other] for other in near if alike[key].issuperset(home[other])), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(key)
        home[key] = group
    return groups


def _alike(forms: Mapping[str, Form]) -> dict[str, set[str]]:
    """For every key the keys it may share a class with."""
    alike: dict[str, set[str]] = {key: set() for key in forms}
    longer: dict[str, set[str]] = {key: set() for key in forms}
    for one, other in _candidates(forms):
        if same(forms[one], forms[other]):
            alike[one].add(other)
            alike[other].add(one)
        else:
            for short, long in permutations((one, other)):
                if extends(forms[short], forms[long]):
                    longer[short].add(long)
    for key, extensions in longer.items():
        if _agree(extensions, alike, longer):
            alike[key] |= extensions
            for other in extensions:
                alike[other].add(key)
    return alike


def _candidates(forms: Mapping[str, Form]) -> Iterator[tuple[str, str]]:
    """The pairs that have a trait in common, each once."""
    buckets: defaultdict[Hashable, list[str]] = defaultdict(list)
    for key, one in forms.items():
        for handle in frozenset(handles(one)):
            if len(buckets[handle]) < MAX_BUCKET:
                buckets[handle].append(key)
    seen: set[tuple[str, str]] = set()
    for keys in buckets.values():
        for pair in combinations(keys, 2):
            if pair not in seen:
                seen.add(pair)
                yield pair


def _agree(extensions: set[str], alike: Mapping[str, set[str]], longer: Mapping[str, set[str]]) -> bool:
    """Whether all that extend an answer go together; `Varn` is neither of Ilse Varn and Karl Varn."""
    pairs: Sequence[tuple[str, str]] = list(combinations(extensions, 2)) if len(extensions) <= MAX_BUCKET else []
    return len(extensions) <= MAX_BUCKET and all(
        other in alike[one] or other in longer[one] or one in longer[other] for one, other in pairs
    )
