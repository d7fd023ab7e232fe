"""Searches as callers send them."""

from typing import Annotated

from pydantic import Field, StrictBool

from answering.parameters import Number
from registry.passages.schemas import EvidenceFilter
from registry.platform.fields import Input, Question


class SearchInput(Input, EvidenceFilter):
    """A search over all sources of a corpus."""

    query: Question
    """What is looked for: a question or words."""
    limit: Annotated[int, Field(ge=1, le=100), Number] = 10
    """Most hits."""
    reliability_weight: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """How far reliability may change the order: a passage scores its relevance times 1 - weight * (1 - reliability),
    which is at least 1 - weight of its relevance; 0 ranks by relevance alone."""
    fold_copies: StrictBool = True
    """Whether near-equal passages are one hit, with the others as its copies."""
