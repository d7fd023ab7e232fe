"""What topics are called where nobody named them."""

from registry.estimations.topics.store import topic_label, typical_words
from tests.tables import for_each

CAPITALS = [f"What is the capital of {country}?" for country in ("Mali", "Oman", "Peru", "Chad", "Cuba", "Fiji")]
AREAS = [f"How large is {country}'s area in square kilometres?" for country in ("Mali", "Oman", "Peru", "Togo")]
PEOPLE = [f"How many people live in {country}?" for country in ("Mali", "Cuba", "Fiji")]


@for_each(
    "topics, words",
    [
        ([CAPITALS, AREAS], [["capital"], ["area", "kilometres", "large"]]),
        ([AREAS, CAPITALS], [["area", "kilometres", "large"], ["capital"]]),
        ([CAPITALS, AREAS, PEOPLE], [["capital"], ["area", "kilometres", "large"], ["live", "many", "people"]]),
        # Words that are as frequent everywhere name no topic, in any language.
        (
            [
                ["Wie hoch ist der Berg Ast?", "Wie hoch ist der Berg Ulm?", "Wie hoch ist der Berg Rot?"],
                ["Wie tief ist der See Ast?", "Wie tief ist der See Ulm?", "Wie tief ist der See Rot?"],
            ],
            [["berg", "hoch"], ["see", "tief"]],
        ),
        ([["Where?", "?"], ["Who's?"]], [[], []]),
        ([["Red?"], []], [["red"], []]),
    ],
)
def test_words_set_the_queries_of_a_topic_apart(topics: list[list[str]], words: list[list[str]]) -> None:
    assert typical_words(topics) == words


@for_each(
    "names, words, label",
    [
        (["sea", "harbours", "ships", "gulls"], ["tide"], "sea, harbours, ships"),
        ([], ["area", "kilometres"], "area, kilometres"),
        ([], [], "topic 2"),
    ],
)
def test_given_names_come_before_words(names: list[str], words: list[str], label: str) -> None:
    assert topic_label(names, words, 2) == label
