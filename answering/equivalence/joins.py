"""Answers to one question that a person joined: they are one class whatever the policy says."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, TypeVar

from answering.enums import ClassPolicy
from answering.equivalence.answer_class import answer_key, classify

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Joins:
    """Groups of answers to one question, each group of which is one answer; groups that share an answer are one.

    >>> joins = Joins((("Eagles", "Philadelphia Eagles"),))
    >>> joins.key_of("the Eagles", ClassPolicy.VALUES) == joins.key_of("Philadelphia Eagles", ClassPolicy.VALUES)
    True
    >>> joins.key_of("Patriots", ClassPolicy.VALUES)
    'text:patriots'
    """

    groups: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def by_question(cls, joined: Iterable[tuple[str, Sequence[str]]]) -> dict[str, Self]:
        """The joins of each question, of groups of answers with their questions."""
        groups: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for question, answers in joined:
            groups[question].append(tuple(answers))
        return {question: cls(tuple(of_question)) for question, of_question in groups.items()}

    def key_of(self, answer: str, policy: ClassPolicy, question: str | None = None) -> str:
        """The key of an answer (`answer_key`), that of its group if it is in one."""
        return self.joined(answer_key(answer, policy, question), policy, question)

    def joined(self, key: str, policy: ClassPolicy, question: str | None = None) -> str:
        """The key of the group that an answer of this key is in; the key itself if it is in none."""
        return min(_groups(self.groups, policy, question).get(key, (key,))) if self.groups else key

    def with_joined(
        self, answers: Collection[str], policy: ClassPolicy, question: str | None = None
    ) -> tuple[str, ...]:
        """The answers, and behind them those of the groups that they are in.

        >>> Joins((("Eagles", "Philadelphia Eagles"),)).with_joined(["eagles"], ClassPolicy.VALUES)
        ('eagles', 'Eagles', 'Philadelphia Eagles')
        """
        keys = {self.key_of(answer, policy, question) for answer in answers}
        others = (other for group in self.groups if self.key_of(group[0], policy, question) in keys for other in group)
        return tuple(dict.fromkeys([*answers, *others]))


NO_JOINS = Joins()


def united_keys(
    answers: Sequence[str], keys: Sequence[str], policy: ClassPolicy, question: str | None = None
) -> list[str]:
    """The class of each answer among all of them, where answers of equal `keys` are one class.

    >>> united_keys(["84,000", "83,887"], ["number:84000", "number:83887"], ClassPolicy.ROUNDED)
    ['number:83887', 'number:83887']
    """
    if not policy.joins_keys:
        return list(keys)
    classes = classify(answers, policy, question)
    named = [classes.class_of(position).key for position in range(len(answers))]
    # A key and a class may have the same name.
    united = _united([("class", name), ("key", key)] for name, key in set(zip(named, keys, strict=True)))
    return [min(name for kind, name in united["class", name] if kind == "class") for name in named]


@lru_cache(maxsize=1_000)
def _groups(
    groups: Iterable[Sequence[str]], policy: ClassPolicy, question: str | None
) -> Mapping[str, Collection[str]]:
    """The keys of the group of every answer, by key."""
    return _united([answer_key(answer, policy, question) for answer in group] for group in groups)


def _united(groups: Iterable[Iterable[Item]]) -> dict[Item, set[Item]]:
    union_of: dict[Item, set[Item]] = {}
    for group in groups:
        union = set().union(*(union_of.get(item, {item}) for item in group))
        union_of.update(dict.fromkeys(union, union))
    return union_of
