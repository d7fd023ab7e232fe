"""Key words spelt out."""

from answering.questions.key_words import whole_question
from tests.tables import for_each


@for_each(
    ("text", "question"),
    [
        ("mayor Esk", "What is the mayor of Esk?"),
        ("kaluga population?", "What is the population of kaluga?"),
        ("the mayor of Esk", "What is the mayor of Esk?"),
        ("Esk's mayor", "What is the mayor of Esk?"),
        ("My son wants to know the mayor of Esk, bless him", "What is the mayor of Esk?"),
        ("Who is the mayor of Esk?", "Who is the mayor of Esk?"),
        ("Ada Dahl", "Ada Dahl"),
        ("symptoms of flu", "symptoms of flu"),
        ("asdf jkl qwer", "asdf jkl qwer"),
    ],
)
def test_key_words_are_spelt_out(text: str, question: str) -> None:
    assert whole_question(text) == question
