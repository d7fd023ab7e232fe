"""Searches as callers send them."""

from typing import Annotated

from pydantic import Field, StrictBool

from answering.parameters import Number
from registry.passages.schemas import EvidenceFilter
from registry.platform.fields import Input, Question


class SearchInput(Input, EvidenceFilter):
    """A search over all sources of a corpus."""

    query: Question
    """A question, or words."""
    limit: Annotated[int, Field(ge=1, le=100), Number] = 10
    """Most hits."""
    reliability_weight: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """Influence of reliability on the order. The score is relevance * (1 - weight * (1 - reliability)); 0 ranks by
    relevance alone."""
    fold_copies: StrictBool = True
    """Whether near-equal passages are one hit with `copies`."""
