"""Numbers with their signs, scales and units."""

from answering.questions.answer_type import expected_answer_type
from answering.readers.measures import whole_measure, whole_name
from tests.tables import for_each

COST = "How much did it cost?"


@for_each(
    ("question", "passage", "span", "answer"),
    [
        (COST, "It cost $12.2 billion.", "$12.2", "$12.2 billion"),
        (COST, "It cost $12.2 billion in all.", "2 billion", "$12.2 billion"),
        (COST, "It cost US$4m, they say.", "4m", "US$4m"),
        (COST, "It cost 40 dollars.", "40", "40 dollars"),
        (COST, "It cost €40, in gold.", "40", "€40"),
        ("How tall is it?", "It is 42 metres tall.", "42", "42 metres"),
        ("How fast is it?", "It makes 42.5 kilometres per hour.", "5", "42.5 kilometres per hour"),
        ("How tall is it in metres?", "It is 42 metres tall.", "42", "42"),
        ("How large is it?", "It is 42 in all.", "42", "42"),
        ("How many boats sank?", "Some 1,700 boats sank.", "700", "1,700"),
        ("How many tonnes can it lift?", "It lifts 42 tonnes.", "42", "42"),
        ("What is the share of rye?", "Rye has 7.5 per cent of it.", "7.5", "7.5 per cent"),
        ("Who built it?", "It was built by Ida Kolb.", "Ida", "Ida"),
        ("Which band is it?", "It is the 5 million club.", "5", "5 million"),
    ],
)
def test_a_number_has_all_that_belongs_to_it(question: str, passage: str, span: str, answer: str) -> None:
    start = passage.index(span)
    first, last = whole_measure(passage, start, start + len(span), question, expected_answer_type(question))
    assert passage[first:last] == answer


def test_a_name_is_not_cut_before_a_small_word() -> None:
    text = "The capital is Andorra la Vella, in the Pyrenees."
    assert text[whole_name(text, text.index("la Vella")) :].startswith("Andorra la Vella")
    assert whole_name(text, text.index("Pyrenees")) == text.index("Pyrenees")
    assert whole_name("la Vella", 0) == 0
