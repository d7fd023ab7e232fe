"""What an answer means as a value: numbers, ordinals, dates, quantities and ranges, however they are written."""

from answering.equivalence.values.parsing import MAX_VALUE_CHARACTERS, parse_value
from answering.equivalence.values.value import Value, ValueKind

__all__ = ["MAX_VALUE_CHARACTERS", "Value", "ValueKind", "parse_value"]
