"""Answer equivalence: answers that mean the same fall into one answer class."""

from answering.enums import ClassPolicy
from answering.equivalence.answer_class import (
    AnswerClass,
    Classification,
    answer_key,
    classify,
    representative,
)
from answering.equivalence.joins import NO_JOINS, Joins, united_keys
from answering.equivalence.listed_items import listed_items
from answering.equivalence.values import Value, ValueKind, find_unit, ordinal_text, parse_value

__all__ = [
    "NO_JOINS",
    "AnswerClass",
    "ClassPolicy",
    "Classification",
    "Joins",
    "Value",
    "ValueKind",
    "answer_key",
    "classify",
    "find_unit",
    "listed_items",
    "ordinal_text",
    "parse_value",
    "representative",
    "united_keys",
]
