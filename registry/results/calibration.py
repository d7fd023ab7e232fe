"""What the number that a person is shown of an answer rests on."""

from enum import StrEnum
from uuid import UUID

from registry.results.base import Result, Score


class Basis(StrEnum):
    """What says how often answers as sure as this are right."""

    GOLD = "gold"
    """Right answers to queries, by an evaluation that measured such answers."""
    ESTIMATE = "estimate"
    """The estimated reliabilities alone."""
    TOO_LITTLE = "too_little"
    """Nothing: too little is known of the sources of the answer."""


class CalibratedConfidence(Result):
    """How often answers as sure as this are right, as it is shown to a person."""

    basis: Basis
    """What the share rests on."""
    share: Score | None
    """By right answers to queries; null where none tell."""
    text: str
    """How sure the answer is, and what that rests on, in words."""
    right: int | None = None
    """Answers to queries with right answers that were as sure as this (in the same fifth) and right; null where the
    basis is another."""
    of: int | None = None
    """Answers to such queries that were as sure as this; null likewise."""
    lower: Score | None = None
    """Lower end of the 95 % interval of the share; null likewise."""
    upper: Score | None = None
    """Upper end of it."""
    evaluation_id: UUID | None = None
    """The evaluation that counted them; null likewise."""
