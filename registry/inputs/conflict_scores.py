"""What a caller may choose about a ConflictScore."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from answering.conflict import Uncovered
from answering.parameters import Number
from registry.inputs.fields import Input
from registry.settings import JudgeKind


class SplitterKind(StrEnum):
    """Who takes a response apart into claims."""

    RULES = "rules"
    LANGUAGE_MODEL = "language_model"


class ConflictParameters(Input):
    """Choices of one score."""

    judge: JudgeKind = JudgeKind("compact")
    """Who says what documents say about claims: our own judge, or the configured language model."""
    claims: SplitterKind = SplitterKind.RULES
    """Who takes the response apart: rules, which cost nothing, or the configured language model."""
    uncovered: Uncovered = Uncovered.ZERO
    """What a claim that no document speaks of counts in CS-R: `zero`, or nothing (`omit`)."""
    min_probability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Labels less probable than this count as irrelevant; raise it to be told of fewer, surer conflicts."""
    max_sources: Annotated[int, Field(ge=1, le=50), Number] = 8
    """Sources that are searched for documents, where none are sent."""
    passages_per_source: Annotated[int, Field(ge=1, le=10), Number] = 3
    """Passages taken of each of these."""
