"""The value of an answer: numbers, ordinals, dates, quantities and ranges, however they are written."""

from answering.equivalence.values.parsing import MAX_VALUE_CHARACTERS, parse_value
from answering.equivalence.values.units import Unit, find_unit
from answering.equivalence.values.value import Value, ValueKind, number_text, ordinal_text

__all__ = [
    "MAX_VALUE_CHARACTERS",
    "Unit",
    "Value",
    "ValueKind",
    "find_unit",
    "number_text",
    "ordinal_text",
    "parse_value",
]
