"""Corpora as callers send them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from registry.inputs.fields import Description, Input


class TextSearch(StrEnum):
    """A text search configuration of Postgres: the language of stemming and stop words; `simple` has neither."""

    SIMPLE = "simple"
    ARABIC = "arabic"
    ARMENIAN = "armenian"
    BASQUE = "basque"
    CATALAN = "catalan"
    DANISH = "danish"
    DUTCH = "dutch"
    ENGLISH = "english"
    FINNISH = "finnish"
    FRENCH = "french"
    GERMAN = "german"
    GREEK = "greek"
    HINDI = "hindi"
    HUNGARIAN = "hungarian"
    INDONESIAN = "indonesian"
    IRISH = "irish"
    ITALIAN = "italian"
    LITHUANIAN = "lithuanian"
    NEPALI = "nepali"
    NORWEGIAN = "norwegian"
    PORTUGUESE = "portuguese"
    ROMANIAN = "romanian"
    RUSSIAN = "russian"
    SERBIAN = "serbian"
    SPANISH = "spanish"
    SWEDISH = "swedish"
    TAMIL = "tamil"
    TURKISH = "turkish"
    YIDDISH = "yiddish"


class CorpusInput(Input):
    """A new corpus."""

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,62}$", examples=["press"])]
    """Part of its URLs: lower-case letters, digits, `-` and `_`."""
    description: Description = ""
    """What it is about."""
    text_search: TextSearch = TextSearch.ENGLISH
    """Language of full-text search; cannot be changed later."""


class CorpusPatch(Input):
    """Fields to change; those left out stay."""

    description: Description | None = None
    """What it is about."""
