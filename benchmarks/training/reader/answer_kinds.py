"""What kind of thing an answer is, so that a wrong one of the same kind can take its place."""

import re
from collections import defaultdict
from collections.abc import Iterable
from random import Random

_MONTH = r"(january|february|march|april|may|june|july|august|september|october|november|december)"
_KINDS = (
    ("year", re.compile(r"(1[0-9]|20)\d\d")),
    ("date", re.compile(rf".*\b{_MONTH}\b.*", re.IGNORECASE)),
    ("money", re.compile(r".*[$€£].*")),
    ("percent", re.compile(r".*(%|percent).*")),
    ("number", re.compile(r"[\d,.]+")),
    ("quantity", re.compile(r".*\d.*")),
    ("name", re.compile(r"[A-Z][\w.'-]*( [A-Z][\w.'-]*){1,3}")),
    ("word", re.compile(r"[A-Z][\w'-]*")),
)


def kind(answer: str) -> str:
    """The kind of an answer: year, date, money, percent, number, quantity, name, word; else phrase of so many words."""
    return next((name for name, pattern in _KINDS if pattern.fullmatch(answer)), f"phrase{len(answer.split())}")


class Others:
    """Answers of the same kind to put in an answer's place."""

    def __init__(self, answers: Iterable[str]) -> None:
        by_kind: dict[str, set[str]] = defaultdict(set)
        for answer in answers:
            by_kind[kind(answer)].add(answer)
        self._by_kind = {name: sorted(answers) for name, answers in by_kind.items()}

    def other(self, answer: str, random: Random) -> str | None:
        """Another answer of its kind, None if there is none that differs in more than case."""
        candidates = self._by_kind.get(kind(answer), [])
        for _ in range(8):
            if not candidates:
                return None
            chosen = random.choice(candidates)
            if chosen.lower() not in answer.lower() and answer.lower() not in chosen.lower():
                return chosen
        return None


def swapped(passage: str, answer: str, other: str) -> str:
    """The passage with every mention of the answer replaced, so that no trace of it is left."""
    return re.sub(rf"(?<!\w){re.escape(answer)}(?!\w)", lambda _: other, passage, flags=re.IGNORECASE)
