"""Which questions mean the same, by their wording and their answers."""

import pytest

from answering.embedders import Embedder
from registry.query_generations.known_queries import KnownQueries

CAPITAL = "The capital (city) of Mongolia is ____."


@pytest.mark.parametrize(
    ("known", "answer", "question", "answers", "same"),
    [
        (CAPITAL, "Ulan Bator", "The capital city of Mongolia is called ____.", ["Erdenet", "Ulan Bator"], True),
        (CAPITAL, "Ulan Bator", "The capital city of Mongolia is called ____.", ["Ulan Bator"], True),
        (CAPITAL, "Ulan Bator", "The capital city of Mongolia is called ____.", [], True),
        (CAPITAL, "Ulan Bator", "The capital city of Norway is called ____.", ["Ulan Bator"], False),
        ("Who owns Aldra Mill?", "Anna Dahl", "Who built Aldra Mill?", ["Karl Holm", "Jon Lie"], False),
        ("Who owns Aldra Mill?", None, "Who built Aldra Mill?", ["Karl Holm"], True),
        ("When was Aldra Mill built?", "1874", "In which year was Aldra Mill erected?", ["1874"], True),
    ],
)
async def test_questions_are_one_by_wording_and_what_sources_answer(
    embedder: Embedder, known: str, answer: str | None, question: str, answers: list[str], same: bool
) -> None:
    queries = await KnownQueries.of(embedder, [(known, answer)])
    assert queries.has(question, (await embedder.embed([question]))[0], answers) is same
