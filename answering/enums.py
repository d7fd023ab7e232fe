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
