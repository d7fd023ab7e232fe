"""Which documents an answer stands in, and what becomes of one that stands in none."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from answering.alignment import DEFAULT_THRESHOLD
from answering.debates.protocol import DebateAnswer, SourceDocument
from answering.equivalence import ClassPolicy, answer_key, classify
from answering.text import squad_normalise, tokenize

LEAST_STEM = 5


def contains_phrase(answer: str, text: str) -> bool:
    """Whether the answer's words stand in the text one after the other, normalised as SQuAD does."""
    words = squad_normalise(answer)
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(text)) is not None


def contains_words(answer: str, text: str) -> bool:
    """Whether nearly all words of the answer are in the text, in any form: a footballer plays football.

    As alignment has it (RA-RAG section 3.2), but for endings; numbers are compared as they stand.
    """
    words, known = tokenize(squad_normalise(answer)), frozenset(tokenize(text))
    found = sum(word in known or any(_inflected(word, other) for other in known) for word in words)
    return bool(words) and found / len(words) >= DEFAULT_THRESHOLD


def _inflected(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= LEAST_STEM and shorter.isalpha() and longer.startswith(shorter)


@dataclass(frozen=True, slots=True)
class SupportCheck:
    """The answers that stand in documents, one a class, and those that do not."""

    answers: tuple[DebateAnswer, ...]
    unsupported: tuple[str, ...]


def check_support(
    proposed: Sequence[str],
    documents: Sequence[SourceDocument],
    policy: ClassPolicy,
    said: Mapping[str, str | None] | None = None,
    confidences: Mapping[str, float] | None = None,
) -> SupportCheck:
    """Sorts proposed answers by whether anything supports them.

    `said` is what the documents' agents say, by document id; `confidences` are by class.
    """
    own = {id_: answer for id_, answer in (said or {}).items() if answer is not None}
    keys = class_keys([*proposed, *own.values()], policy)
    answers: dict[str, DebateAnswer] = {}
    for answer in proposed:
        key = keys[answer]
        ids = _supporting(answer, documents, {id_ for id_, said_ in own.items() if keys[said_] == key})
        if ids and key not in answers:
            answers[key] = DebateAnswer(answer, key, ids, (confidences or {}).get(key))
    left = first_spellings([answer for answer in proposed if keys[answer] not in answers], keys)
    return SupportCheck(tuple(answers.values()), tuple(left.values()))


def first_spellings(answers: Iterable[str], keys: Mapping[str, str]) -> dict[str, str]:
    """The first answer of each class, by class, in the order of the answers."""
    found: dict[str, str] = {}
    for answer in answers:
        found.setdefault(keys[answer], answer)
    return found


def _supporting(answer: str, documents: Sequence[SourceDocument], agents: Collection[str]) -> tuple[str, ...]:
    """Whose agents say so, if there are such; else where the answer stands word for word; else where its words are.

    An agent that was talked into an answer does not speak for its document.
    """
    speaking = [one for one in documents if one.id in agents and contains_words(answer, one.text)]
    verbatim = [one for one in documents if contains_phrase(answer, one.text)]
    found = speaking or verbatim or [one for one in documents if contains_words(answer, one.text)]
    return tuple(one.id for one in found)


def class_keys(answers: Sequence[str], policy: ClassPolicy) -> dict[str, str]:
    """The key of each answer's class among these answers."""
    if policy is not ClassPolicy.FUZZY:
        return {answer: answer_key(answer, policy) for answer in answers}
    found = classify(answers, policy)
    return {answer: found.class_of(place).key for place, answer in enumerate(answers)}
