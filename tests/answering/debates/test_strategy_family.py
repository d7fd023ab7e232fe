"""A strategy that is appended to the list is known everywhere without another edit."""

import subprocess
import sys
from pathlib import Path

import answering.debates
from answering.debates import STRATEGIES

SCRIPT = '''
import asyncio
from typing import Annotated

from pydantic import Field
from typer.testing import CliRunner

from answering.debates import STRATEGIES, Services, StrategyDefinition, run
from answering.debates.protocol import Ask, DebateResult, StopReason, ask
from answering.debates.parsing.answers import parse_answers
from answering.debates.support import remembered_answers
from answering.models import ScriptedChat
from answering.parameters import Parameters
from answering.prompts import load_prompt


class PanelParameters(Parameters):
    """A panel of experts."""

    seats: Annotated[int, Field(ge=1, le=5)] = 3
    """Experts on the panel."""


def panel(question, documents, parameters, policy):
    request = Ask("panel", 1, load_prompt("closed_book"), f"{parameters.seats} seats: {question}", parse_answers)
    (reply,) = yield from ask([request])
    return DebateResult(remembered_answers(reply.value.answers, policy), "", StopReason.ANSWERED, 1)


STRATEGIES.append(
    StrategyDefinition("panel", "experts agree", PanelParameters, panel, lambda _, p: p.seats, escalation=True)
)

from api.cli.application import app
from api.http.app import create_app
from registry.inputs.answers import AnswerParameters
from registry.settings import Settings

schemas = create_app(Settings()).openapi()["components"]["schemas"]
assert "panel" in schemas["Strategy"]["enum"]
assert "panel" in schemas["Escalation"]["enum"]
assert schemas["PanelParameters"]["properties"]["seats"]["maximum"] == 5
strategy = schemas["AnswerParameters"]["properties"]["strategy"]
assert "`panel`: experts agree" in strategy["description"]
assert "panel" in schemas["AnswerParameters"]["properties"]

help_text = CliRunner().invoke(app, ["ask", "--help"], env={"COLUMNS": "200"}).output
assert "panel" in help_text, help_text

chosen = AnswerParameters.model_validate({"strategy": "panel", "panel": {"seats": 2}, "auto": {"debate": "panel"}})
assert chosen.strategy.debates
parameters = chosen.parameters_of(chosen.strategy)
assert (parameters.seats, chosen.strategy.definition.min_calls(4, parameters)) == (2, 2)

chat = ScriptedChat("Answers: 1963")
result = asyncio.run(run(chosen.strategy.definition.debate("When?", (), parameters), Services(chat)))
assert [answer.answer for answer in result.answers] == ["1963"]
assert chat.calls[0].message == "2 seats: When?"
'''


def test_an_appended_strategy_is_known_everywhere() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_lists_every_strategy_as_it_is() -> None:
    readme = (Path(answering.debates.__file__).parent / "README.md").read_text("utf-8")
    section = readme.partition("## Strategies")[2].partition("\n## ")[0]
    rows = []
    for strategy in STRATEGIES:
        parameters = ", ".join(f"`{name}`" for name in strategy.parameters.model_fields)
        escalation = "yes" if strategy.escalation else ""
        rows.append(f"| `{strategy.name}` | {strategy.summary} | {parameters} | {escalation} |")
    assert [line for line in section.splitlines() if line.startswith("| `")] == rows
