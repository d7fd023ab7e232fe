from answering.text.language import language_of, may_be_english
from tests.tables import for_each


@for_each(
    ("text", "language"),
    [
        ("1934?", None),
        ("Which luxury watch company is opening a store at the Christiana Mall on November 15?", "en"),
        ("Wer war der erste Müller von Lyng?", "de"),
        ("東京の人口は何人ですか", "ja"),
        ("Кто построил мельницу?\n", "ru"),
        ("", None),
        ("\ud800", None),
        ("Qui a construit le moulin d'Esk ?" * 500, "fr"),
    ],
)
def test_languages_are_told_apart(text: str, language: str | None) -> None:
    assert language_of(text) == language
    assert may_be_english(text) is (language in {None, "en"})


@for_each(
    ("text", "english"),
    [
        ("Can I sue my doctor?", True),
        ("Can I vote?", True),
        ("Capital of Costa Rica?", True),
        ("Is Bern in Bavaria?", True),
        ("Can a man sue?", True),
        ("Kann ich meinen Arzt verklagen?", False),
        ("¿Cuál es la capital de Costa Rica?", False),
        ("Wer hat The Wall gesungen und wann war das?", False),
    ],
)
def test_short_english_questions_are_english(text: str, *, english: bool) -> None:
    assert may_be_english(text) is english
