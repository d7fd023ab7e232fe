"""The hints of a question about its answers: labels, units, years, cities, calling codes, money and names."""

from answering.equivalence.asked.calling_code import as_calling_code
from answering.equivalence.asked.forms import as_year, with_asked_unit, without_label, without_measure, without_region
from answering.equivalence.asked.money import as_money
from answering.equivalence.asked.names import without_asked_names

__all__ = ["as_asked", "without_asked_names"]

MAX_ASKED_CHARACTERS = 300
"""A longer answer is prose and stays as it is."""


def as_asked(answer: str, question: str) -> str:
    """The answer in the form that the question asks for, to be parsed as a value or as text.

    >>> as_asked("name: Santiago", "What is the capital of Chile?")
    'Santiago'
    >>> as_asked("total: 320", "How many tonnes can it lift?")
    '320 tonnes'
    """
    if len(answer) > MAX_ASKED_CHARACTERS:
        return answer
    bare = without_label(answer, question)
    for form in (as_calling_code, as_money, as_year, with_asked_unit, without_measure, without_region):
        bare = form(bare, question)
    return bare
