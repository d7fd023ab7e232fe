"""Which documents an answer stands in, and what becomes of one that stands in none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answering.alignment import align
from answering.classes import ClassPolicy, answer_key, classify
from answering.debates.port import DebateAnswer, Document
from answering.text import squad_normalise


def stands_in(answer: str, text: str) -> bool:
    """Whether the answer's words stand in the text one after the other, normalised as SQuAD does."""
    words = squad_normalise(answer)
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(text)) is not None


@dataclass(frozen=True, slots=True)
class Grounded:
    """The answers that stand in documents, one a class, and those that do not."""

    answers: tuple[DebateAnswer, ...]
    unsupported: tuple[str, ...]


def ground(
    proposed: Sequence[str],
    documents: Sequence[Document],
    policy: ClassPolicy,
    said: Mapping[str, str | None] | None = None,
    confidences: Mapping[str, float] | None = None,
) -> Grounded:
    """Sorts proposed answers by whether anything supports them.

    A document supports an answer that stands in it, and one of the class that its agent gave (`said`, by document id)
    if the agent's words are the document's. `confidences` are by class.
    """
    own = {id_: answer for id_, answer in (said or {}).items() if answer is not None}
    keys = keys_of([*proposed, *own.values()], policy)
    answers: dict[str, DebateAnswer] = {}
    for answer in proposed:
        key = keys[answer]
        ids = tuple(
            document.id
            for document in documents
            if stands_in(answer, document.text) or _speaks_for(document, own.get(document.id), key, keys)
        )
        if ids and key not in answers:
            answers[key] = DebateAnswer(answer, key, ids, (confidences or {}).get(key))
    left = first_spellings([answer for answer in proposed if keys[answer] not in answers], keys)
    return Grounded(tuple(answers.values()), tuple(left.values()))


def first_spellings(answers: Iterable[str], keys: Mapping[str, str]) -> dict[str, str]:
    """The first answer of each class, by class, in the order of the answers."""
    found: dict[str, str] = {}
    for answer in answers:
        found.setdefault(keys[answer], answer)
    return found


def _speaks_for(document: Document, own: str | None, key: str, keys: Mapping[str, str]) -> bool:
    """An agent that was talked into an answer does not speak for its document."""
    return own is not None and keys[own] == key and align(own, [document.text]).answer is not None


def keys_of(answers: Sequence[str], policy: ClassPolicy) -> dict[str, str]:
    """The key of each answer's class among these answers."""
    if policy is not ClassPolicy.FUZZY:
        return {answer: answer_key(answer, policy) for answer in answers}
    found = classify(answers, policy)
    return {answer: found.class_of(place).key for place, answer in enumerate(answers)}
