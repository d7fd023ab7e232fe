"""Corpora as callers send them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool

from answering.parameters import Number
from registry.keys.schemas import QuotaInput
from registry.platform.enums import AnswerPolicy
from registry.platform.fields import Description, Input

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


AskedQueries = Annotated[int, Field(ge=0, le=10_000), Number]


class CorpusInput(Input):
    """A new corpus."""

    name: CorpusName
    """Part of its URLs: lower-case letters, digits, `-` and `_`."""
    description: Description = ""
    """Subject of the corpus."""
    text_search: TextSearch = TextSearch.ENGLISH
    """Language of full-text search; cannot be changed later."""
    use_gold: StrictBool = True
    """Whether estimations judge votes by the gold answers of queries, unless their parameters say otherwise."""
    generate_queries: StrictBool = True
    """Whether the service writes queries from its documents, and estimates, while it has neither."""
    answers: AnswerPolicy = AnswerPolicy.ONE
    """Policy of imported answers to a query that does not state one: `one` is right, `several` may be, each by itself,
    or a `number`, of which near ones nearly agree."""
    asked_queries: AskedQueries = 200
    """Questions asked of it that become queries, at most; 0: none does."""


class CorpusPatch(QuotaInput):
    """Fields to change; those left out stay. Quotas are changed by operators only; null removes one."""

    name: CorpusName | None = None
    """A new name; addresses with the former one end, addresses with the id stay."""
    description: Description | None = None
    """Subject of the corpus."""
    use_gold: StrictBool | None = None
    """Whether estimations judge votes by the gold answers of queries, unless their parameters say otherwise."""
    generate_queries: StrictBool | None = None
    """Whether the service writes queries from its documents, and estimates, while it has neither."""
    answers: AnswerPolicy | None = None
    """Policy of imported answers to a query that does not state one: `one` is right, `several` may be, each by itself,
    or a `number`, of which near ones nearly agree. Counts from the next estimation on."""
    asked_queries: AskedQueries | None = None
    """Questions asked of it that become queries, at most; 0: none does."""
