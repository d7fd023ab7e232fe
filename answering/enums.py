"""Enumerations that results and parameters have; a client that only names them need not import what they are of."""

from enum import StrEnum


class ClassPolicy(StrEnum):
    """The rule by which two answers are the same.

    >>> from answering.equivalence import answer_key
    >>> [answer_key("a thousand", policy) for policy in (ClassPolicy.EXACT, ClassPolicy.VALUES)]
    ['text:thousand', 'number:1000']
    """

    EXACT = "exact"
    """The same normalised words."""
    VALUES = "values"
    """The same words or the same value: 1,000 and one thousand, 3 May 1874 and 1874-05-03, 42 m and 42 metres.

    Abbreviations and Roman numerals count as what they stand for, and a list as its items in any order.

    With the question, an answer also counts as what was asked for: a bare number in the unit that the question names,
    `name: Bern` as Bern, the Djibouti franc as the franc where the currency of Djibouti is asked for.
    """
    ROUNDED = "rounded"
    """Like `values`, and a rounded number with the nearest one that rounds to it, as 84,000 and 83,887; and singular
    with plural.

    83,887 and 83,871 stay apart, as do years, counts below 10,000, and 1,000 and 1,300: a number stands for others with
    two significant digits or more.
    """

    @property
    def joins_keys(self) -> bool:
        """Whether answers of different keys may be the same, which depends on all the answers to a question.

        >>> ClassPolicy.VALUES.joins_keys, ClassPolicy.ROUNDED.joins_keys
        (False, True)
        """
        return self is ClassPolicy.ROUNDED


class Outcome(StrEnum):
    """The outcome of a question."""

    ANSWERED = "answered"
    CONFLICTING = "conflicting"
    """Sources answer, but differently, and the best answers are too close to each other."""
    UNSUPPORTED = "unsupported"
    """There are passages, but no source gave an answer that stands in them, or none that is reliable."""
    NO_EVIDENCE = "no_evidence"
    """No source has anything to read on the question."""


class ReadingStatus(StrEnum):
    """Whether a reading is a vote, and if not, why."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    MISALIGNED = "misaligned"
    """Its answer is not supported by the passages it was read from (`answering.alignment`)."""
    MISREAD = "misread"
    """A person found that its passages do not say so."""
    NO_PASSAGES = "no_passages"
    FAILED = "failed"


class AbstentionReason(StrEnum):
    """The reason why a reader abstains.

    >>> AbstentionReason("no_answer").name
    'NO_ANSWER'
    """

    NO_ANSWER = "no_answer"
    """It finds no answer in the passages, or none that is certain enough."""
    OTHER_KIND = "other_kind"
    """It finds nothing of the kind that the question asks for: no number for how many."""
    OTHER_SUBJECT = "other_subject"
    """The passages speak of something else than the question asks about: of Belgium instead of Luxembourg."""
    NO_EXPLANATION = "no_explanation"
    """The question asks why or how, and the passages do not say."""
    UNDECIDED = "undecided"
    """The question wants yes or no, and the passages say neither."""
    NOT_JUDGED = "not_judged"
    """The question wants yes or no of a kind that the small judge is not asked about, since it cannot tell."""
    DECLINED = "declined"
    """The language model replied that it does not know."""


class JudgeKind(StrEnum):
    """The judges by name."""

    COMPACT = "compact"
    MULTILINGUAL = "multilingual"
    LANGUAGE_MODEL = "language_model"


class Uncovered(StrEnum):
    """The value of a claim in CS-R that no document supports and none contradicts."""

    ZERO = "zero"
    """0, as nothing contradicts it: CS-C and CS-R are means over the same claims, all of them."""
    OMIT = "omit"
    """Nothing: CS-R is the mean over the claims that some document speaks of."""


class ResponseOutcome(StrEnum):
    """The outcome of a response."""

    UNCONTESTED = "uncontested"
    """It stays as it was: no document contradicts a claim of it."""
    REWRITTEN = "rewritten"
    """A reply of the model takes its place."""
    WITHDRAWN = "withdrawn"
    """No reply could be used and no document supports any claim of it: a list of who contradicts it takes its place."""
    KEPT = "kept"
    """It stays as it was: no reply could be used, and documents support some of it."""


class ReplyRefusal(StrEnum):
    """The reason why a reply of the model is not used."""

    EMPTY = "empty"
    """It is no text."""
    COPIED = "copied"
    """It repeats what the model was sent."""
    TOO_LONG = "too_long"
    """It is far longer than the response and what documents say of it."""
    SIDE_MISSING = "side_missing"
    """It names publishers of both sides of no contested claim."""
    SAME_ANSWER = "same_answer"
    """It names publishers, but says nothing of what the contradicting ones say instead."""
