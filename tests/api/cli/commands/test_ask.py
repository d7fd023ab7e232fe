"""`credence ask`, `answers` and `conflict`."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from answering.errors import ModelError
from registry.platform.settings import AnswerJudge
from tests.api.cli.conftest import Credence
from tests.fakes.openai_server import FakeOpenAIServer
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.debaters import served, settings_with
from tests.registry.world import TOWERS, colour_reader, honest, liar, question
from tests.tables import for_each


@pytest.fixture
def world(credence: Credence) -> Credence:
    """Two honest sources, one that lies about half the towers, one that knows nothing; estimated."""
    credence.estimated(
        {"one": honest(), "two": honest(), "three": liar("Aldra", "Brin", "Esk"), "four": {"Nowhere": "red"}}
    )
    return credence


def test_an_answer_says_who_says_so_who_does_not_and_where(world: Credence) -> None:
    result = world.done("ask", question("Aldra")).out
    assert result.startswith("red  answered, confidence")
    assert "purple" in result
    assert "“The tower of Aldra is painted red.”" in result or "The tower of Aldra is painted red" in result
    dissent = result.partition("Against it, a quote of each answer:")[2]
    assert dissent.count("painted purple") == 1
    assert "painted red" not in dissent
    assert "Not counted" in result
    assert "Four" in result
    assert re.search(r"Certificate: it takes (\d) corrupted sources?, and so at least \1 documents?,", result)
    assert "Readings: 4" in result


def test_a_file_of_questions_is_answered_line_by_line(world: Credence, tmp_path: Path) -> None:
    asked = [question(tower) for tower in TOWERS[:3]]
    (tmp_path / "asked.txt").write_text("\n\n".join(asked), encoding="utf-8")
    output = world.done("ask", "--file", str(tmp_path / "asked.txt"), "--kappa", "2", "--json").documents
    assert [record["question"] for record in output] == asked
    assert [record["result"]["answers"] for record in output] == [["red"], ["blue"], ["green"]]
    printed = world.done("ask", "-f", "-", stdin="\n".join(asked)).out
    assert all(line in printed for line in asked)
    assert "--file" in world.refused("ask")
    assert "cannot be read" in world.refused("ask", "--file", str(tmp_path / "none.txt"))


def test_a_question_that_takes_too_long_does_not_end_the_others(world: Credence, tmp_path: Path) -> None:
    def read(asked: str, passages: Sequence[str]) -> str | ModelError | None:
        if "Brin" in asked:
            raise TimeoutError
        return colour_reader().reply(asked, passages)

    world.reader = ScriptedReader(read, name="slow on one")
    (tmp_path / "asked.txt").write_text("\n".join(map(question, ("Aldra", "Brin", "Corvo"))))
    result = world("ask", "--file", str(tmp_path / "asked.txt"), "--json")
    assert result.status == 1
    assert [record["question"] for record in result.documents] == [question("Aldra"), question("Corvo")]
    assert f"Not answered (2 of 3): {question('Brin')}: No answer within" in result.err
    assert "1 of 3 questions not answered." in result.err


def test_a_question_that_nobody_answers_has_no_answer(world: Credence) -> None:
    result = world.done("ask", "Who built the tower of Aldra?", "--json").document
    assert (result["outcome"], result["result"]["answers"]) == ("unsupported", [])
    shown = world.done("ask", "Who built the tower of Aldra?").out
    assert "No answer" in shown
    assert "none of them answers" in shown


@pytest.fixture
def debaters() -> Iterator[FakeOpenAIServer]:
    with served() as server:
        yield server


@pytest.fixture
def debating(world: Credence, debaters: FakeOpenAIServer) -> Credence:
    """The same world, with a language model."""
    quick = {"passages_per_source": 1, "conflict_judge": AnswerJudge.NONE}
    world.settings = settings_with(world.settings, debaters).model_copy(update=quick)
    return world


def test_a_debate_is_followed_and_told(debating: Credence) -> None:
    result = debating.done("ask", question("Aldra"), "--strategy", "madam", "--set", "rounds=1", "--kappa", "3")
    assert "Debate (madam) over 3 documents:" in result.err
    assert '1 aggregator: Answers: ["red"] Explanation: Most agents say so.' in result.err
    assert result.out.startswith("red  answered, confidence")
    assert "The vote alone: red" in result.out
    assert "red from d1" in result.out
    assert "“Most agents say so.”" in result.out
    assert "1 round, ended rounds spent; 4 model calls, 56 tokens" in result.out
    assert "1 agent 3: Answer: purple" in result.out


@for_each(
    ("args", "why"),
    [
        (("--strategy", "madam"), "CREDENCE_CHAT_URL"),
        (("--set", "rounds=1"), "--strategy"),
        (("--strategy", "madam", "--set", "rounds"), "NAME=VALUE"),
        (("--strategy", "madam", "--set", "rounds=many"), "madam.rounds"),
        (("--strategy", "no_rag", "--set", "rounds=1"), "no_rag"),
    ],
)
def test_what_cannot_be_debated_is_said_in_one_line(credence: Credence, args: tuple[str, ...], why: str) -> None:
    result = credence.refused("ask", "Who built the mill?", *args)
    assert why in result
    assert result.count("\n") == 1


ASKED = "In which year was the bridge of Brin opened?"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A text file, and an NDJSON file of one document."""
    (tmp_path / "herald.txt").write_text("The bridge of Brin was opened in 1911.")
    sent = {"content": "The bridge of Brin was opened in 1950.", "source": "Rumour", "reliability": 0.3}
    (tmp_path / "others.ndjson").write_text(json.dumps(sent) + "\n\n")
    return ["-d", str(tmp_path / "herald.txt"), "-d", str(tmp_path / "others.ndjson")]


def test_a_person_sees_who_says_what(credence: Credence, files: list[str]) -> None:
    result = credence.done("conflict", "1911", "-q", ASKED, *files).out
    assert result.startswith("CS-C 1.00, CS-R 0.50")
    assert "contested" in result
    assert "for     herald" in result
    assert "against Rumour, reliability 0.30" in result
    assert "“The bridge of Brin was opened in 1950.”" in result


def test_a_bad_file_is_named(credence: Credence, tmp_path: Path) -> None:
    (tmp_path / "bad.ndjson").write_text('{"content": "x"}\n{"text": "y"}\n')
    assert "Line 2 of" in credence.refused("conflict", "x", "-d", str(tmp_path / "bad.ndjson"))
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00")
    assert "is not text in UTF-8" in credence.refused("conflict", "x", "-d", str(tmp_path / "bad.txt"))
