"""Corpora as callers send them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool

from registry.inputs.fields import Description, Input
from registry.inputs.keys import QuotaInput

TextSearch = StrEnum(
    "TextSearch",
    "SIMPLE ARABIC ARMENIAN BASQUE CATALAN DANISH DUTCH ENGLISH FINNISH FRENCH GERMAN GREEK HINDI HUNGARIAN "
    "INDONESIAN IRISH ITALIAN LITHUANIAN NEPALI NORWEGIAN PORTUGUESE ROMANIAN RUSSIAN SERBIAN SPANISH SWEDISH "
    "TAMIL TURKISH YIDDISH",
)
TextSearch.__doc__ = (
    """A text search configuration of Postgres: the language of stemming and stop words; `simple` has neither."""
)


CorpusName = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,62}$", examples=["press"])]


class CorpusInput(Input):
    """A new corpus."""

    name: CorpusName
    """Part of its URLs: lower-case letters, digits, `-` and `_`."""
    description: Description = ""
    """What it is about."""
    text_search: TextSearch = TextSearch.ENGLISH
    """Language of full-text search; cannot be changed later."""
    use_gold: StrictBool = True
    """Whether estimations judge votes by the gold answers of queries, unless their parameters say otherwise."""


class CorpusPatch(QuotaInput):
    """Fields to change; those left out stay. Quotas are changed by operators only; null removes one."""

    name: CorpusName | None = None
    """A new name; addresses with the former one end, addresses with the id stay."""
    description: Description | None = None
    """What it is about."""
    use_gold: StrictBool | None = None
    """Whether estimations judge votes by the gold answers of queries, unless their parameters say otherwise."""
