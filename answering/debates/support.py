"""The documents that support an answer; an answer without any is left out of a debate's result."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from answering.alignment import DEFAULT_THRESHOLD
from answering.debates.protocol import DebateAnswer, SourceDocument
from answering.equivalence import NO_JOINS, ClassPolicy, Joins, united_keys
from answering.errors import BadParameter
from answering.text import squad_normalise, tokenize

MIN_STEM_CHARACTERS = 5


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """The rules by which two answers to a question are in one class, and the share of an answer's words that a document
    must contain to support it.

    >>> AnswerPolicy(alignment_threshold=0.5).alignment_threshold
    0.5
    """

    classes: ClassPolicy = ClassPolicy.VALUES
    alignment_threshold: float = DEFAULT_THRESHOLD
    question: str | None = None
    """The question, on which the class of an answer depends; None if it is not known."""
    joins: Joins = NO_JOINS
    """Answers to the question that a person joined."""
    requires_support: bool = True
    """Whether an answer that no document supports is left out; the papers of debates leave none out."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.alignment_threshold <= 1.0:
            raise BadParameter(f"the alignment threshold is a share of words: 0 to 1, not {self.alignment_threshold}")


def contains_phrase(text: str, answer: str) -> bool:
    """Whether the answer's words stand in the text consecutively, both normalised as SQuAD does."""
    words = squad_normalise(answer)
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(text)) is not None


def contains_words(text: str, answer: str, threshold: float = DEFAULT_THRESHOLD) -> bool:
    """Whether a share of at least `threshold` of the answer's words is in the text, endings aside.

    The alignment of RA-RAG (section 3.2, arXiv:2410.22954), except that "footballer" contains "football". Numbers must
    be equal as written.
    """
    words, vocabulary = tokenize(squad_normalise(answer)), frozenset(tokenize(text))
    matches = sum(word in vocabulary or any(_inflected(word, other) for other in vocabulary) for word in words)
    return bool(words) and matches / len(words) >= threshold


def _inflected(word: str, other: str) -> bool:
    stem, longer = sorted((word, other), key=len)
    return len(stem) >= MIN_STEM_CHARACTERS and stem.isalpha() and longer.startswith(stem)


@dataclass(frozen=True, slots=True)
class SupportCheck:
    """The proposed answers that documents support, one of each class, and those that none supports."""

    answers: tuple[DebateAnswer, ...]
    unsupported: tuple[str, ...]


def check_support(
    proposed: Sequence[str],
    documents: Sequence[SourceDocument],
    policy: AnswerPolicy,
    agent_answers: Mapping[str, str | None] | None = None,
    confidences: Mapping[str, float] | None = None,
) -> SupportCheck:
    """Separates proposed answers by whether a document supports them.

    `agent_answers` are what agents answered from one document each, by document id; `confidences` are by class.
    """
    own = {id_: answer for id_, answer in (agent_answers or {}).items() if answer is not None}
    keys = class_keys([*proposed, *own.values()], policy)
    answers: dict[str, DebateAnswer] = {}
    for answer in proposed:
        key = keys[answer]
        agreeing = {id_ for id_, agent_answer in own.items() if keys[agent_answer] == key}
        ids = _supporting(answer, documents, agreeing, policy.alignment_threshold)
        if (ids or not policy.requires_support) and key not in answers:
            answers[key] = DebateAnswer(answer, key, ids, (confidences or {}).get(key))
    unsupported = first_spellings([answer for answer in proposed if keys[answer] not in answers], keys)
    return SupportCheck(tuple(answers.values()), tuple(unsupported.values()))


def _supporting(
    answer: str, documents: Sequence[SourceDocument], agreeing: Collection[str], threshold: float
) -> tuple[str, ...]:
    """The documents that contain the words and whose agents agree; else those that contain the phrase; else the words.

    An agent that was talked into an answer does not make its document support it.
    """
    containing = [document for document in documents if contains_words(document.text, answer, threshold)]
    agreed = [document for document in containing if document.id in agreeing]
    verbatim = [document for document in documents if contains_phrase(document.text, answer)]
    return tuple(document.id for document in agreed or verbatim or containing)


def class_keys(answers: Sequence[str], policy: AnswerPolicy) -> dict[str, str]:
    keys = [policy.joins.key_of(answer, policy.classes, policy.question) for answer in answers]
    return dict(zip(answers, united_keys(answers, keys, policy.classes, policy.question), strict=True))


def first_spellings(answers: Iterable[str], keys: Mapping[str, str]) -> dict[str, str]:
    """The first answer of each class, by class, in the order of the answers."""
    spellings: dict[str, str] = {}
    for answer in answers:
        spellings.setdefault(keys[answer], answer)
    return spellings


def remembered_answers(answers: Sequence[str], policy: AnswerPolicy) -> tuple[DebateAnswer, ...]:
    """Answers from a model's memory, one of each class; no document supports them."""
    spellings = first_spellings(answers, class_keys(answers, policy))
    return tuple(DebateAnswer(answer, key, ()) for key, answer in spellings.items())
