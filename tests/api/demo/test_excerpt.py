"""The excerpt of the demo's output that the README shows."""

import pytest

from api.demo.excerpt import README, excerpt

OUTPUT = """Reader: compact
Sources differ by topic (2 topics, named by words of their queries): places (45 queries).
Estimates against the truth: correlation 0.98, largest difference 0.28. Of 64 queries
the weighted vote gets 59 right, a majority vote 52.

A question most sources agree on: Which strait?
Gannet Sound

A question most sources get wrong: Who designed the Skerrow Lighthouse?
Hélène Marchetti

A question no document answers: Who?
"""


def test_the_excerpt_has_the_topics_the_comparison_and_the_second_question() -> None:
    assert excerpt(OUTPUT) == (
        "Sources differ by topic (2 topics, named by words of their queries): places (45 queries).\n"
        "Estimates against the truth: correlation 0.98, largest difference 0.28. Of 64 queries\n"
        "the weighted vote gets 59 right, a majority vote 52.\n\n"
        "A question most sources get wrong: Who designed the Skerrow Lighthouse?\nHélène Marchetti\n"
    )


def test_other_output_is_refused() -> None:
    with pytest.raises(ValueError, match="demo"):
        excerpt("Traceback")


def test_the_readme_shows_an_excerpt() -> None:
    assert "Estimates against the truth: correlation" in README.read_text(encoding="utf-8")
