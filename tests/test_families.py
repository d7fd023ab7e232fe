"""A new method, strategy, reader, chat model, embedder or judge needs an entry in its list, and no edit elsewhere.

One member is added to each family by a process of its own, before it imports the settings.
"""

import subprocess
import sys

import pytest

ADD_MEMBERS = """
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from answering.debates import STRATEGIES, StrategyDefinition
from answering.debates.parsing.answers import parse_answers
from answering.debates.protocol import Ask, DebateResult, StopReason, ask
from answering.debates.support import remembered_answers
from answering.embedders import EMBEDDERS, WordLlamaEmbedder
from answering.embedders.embedder import EmbedderProvider
from answering.judges import JUDGES, ScriptedJudge
from answering.judges.judge import JudgeProvider
from answering.models import CHATS, ScriptedChat
from answering.models.chat import ChatProvider
from answering.parameters import Parameters
from answering.prompts import load_prompt
from answering.readers import READERS, ScriptedReader
from answering.readers.reader import ReaderProvider
from estimator.methods import METHODS, method_named


def by_first_source(votes, options):
    return replace(method_named("majority").estimate(votes, options), method="first")


class PanelParameters(Parameters):
    'A panel of experts.'

    seats: Annotated[int, Field(ge=1, le=5)] = 3
    'Experts on the panel.'


def panel(question, documents, parameters, policy):
    request = Ask("panel", 1, load_prompt("closed_book"), f"{parameters.seats} seats: {question}", parse_answers)
    (reply,) = yield from ask([request])
    return DebateResult(remembered_answers(reply.value.answers, policy), "", StopReason.ANSWERED, 1)


METHODS.append(replace(method_named("majority"), name="first", estimate=by_first_source))
STRATEGIES.append(
    StrategyDefinition("panel", "experts agree", PanelParameters, panel, lambda _, p: p.seats, escalation=True)
)
READERS.append(
    ReaderProvider(
        name="oracle",
        summary="knows it",
        make=lambda _: ScriptedReader(),
        required={"reader_url": ""},
        calls_model=True,
    )
)
CHATS.insert(
    0,
    ChatProvider(
        name="oracle",
        summary="`oracle`, which knows it",
        serves=lambda settings: settings.chat_model == "oracle",
        make=lambda _: ScriptedChat("42", name="oracle"),
    ),
)
EMBEDDERS.append(EmbedderProvider(name="oracle", summary="knows it", make=lambda _: WordLlamaEmbedder()))
JUDGES.append(JudgeProvider(name="oracle", summary="knows it", make=lambda _: ScriptedJudge(name="oracle")))
"""

USE_THEM = """
import asyncio

from pydantic import ValidationError
from pydantic.json_schema import models_json_schema
from typer.testing import CliRunner

from answering.debates import Services, run
from api.cli.application import app
from estimator import VoteMatrix, estimate
from registry.answers.schemas import AnswerParameters
from registry.conflict_scores.schemas import ConflictParameters
from registry.estimations.schemas import EstimationParameters
from registry.platform.providers import Judges, build_chat, build_embedder, build_reader
from registry.runtime import Runtime
from registry.platform.settings import JudgeKind, Settings

# Of which the HTTP interface makes its document.
models = [(model, "validation") for model in (AnswerParameters, ConflictParameters, EstimationParameters)]
schemas = models_json_schema(models)[1]["$defs"]
options = {
    command: CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    for command in ("estimate", "ask")
}

# The method
votes = VoteMatrix.from_triples([0], [0], [7], query_count=1, source_count=1)
assert estimate(votes, "first").method == "first"
assert schemas["Method"]["enum"] == [method.name for method in METHODS]
assert "oracle|first" in options["estimate"], options["estimate"]

# The strategy
assert "panel" in schemas["Strategy"]["enum"]
assert "panel" in schemas["Escalation"]["enum"]
assert schemas["PanelParameters"]["properties"]["seats"]["maximum"] == 5
strategy = schemas["AnswerParameters"]["properties"]["strategy"]
assert "`panel`: experts agree" in strategy["description"]
assert "panel" in schemas["AnswerParameters"]["properties"]
assert "panel" in options["ask"], options["ask"]
chosen = AnswerParameters.model_validate({"strategy": "panel", "panel": {"seats": 2}, "auto": {"debate": "panel"}})
assert chosen.strategy.debates
parameters = chosen.parameters_of(chosen.strategy)
assert (parameters.seats, chosen.strategy.definition.min_calls(4, parameters)) == (2, 2)
chat = ScriptedChat("Answers: 1963")
result = asyncio.run(run(chosen.strategy.definition.debate("When?", (), parameters), Services(chat)))
assert [answer.answer for answer in result.answers] == ["1963"]
assert chat.calls[0].message == "2 seats: When?"

# The reader
settings = Settings(reader="oracle", reader_url="http://127.0.0.1:1/v1", reader_screened=True)
assert build_reader(settings).name.startswith("scripted after compact:")
assert "`oracle`: knows it" in Settings.model_fields["reader"].description
try:
    Settings(reader="oracle")
except ValidationError as error:
    assert "CREDENCE_READER=oracle needs CREDENCE_READER_URL" in str(error)
else:
    raise AssertionError("a required setting is missing")
account = object()
runtime = Runtime(settings, None, None, build_reader(settings), None).charged_to(account)
assert type(runtime.reader).__name__ == "ChargedReader"

# The chat model
assert build_chat(Settings(chat_model="oracle")).name == "oracle"
assert build_chat(Settings(chat_model="other.gguf")).name == "gguf:other"
assert "`oracle`, which knows it" in Settings.model_fields["chat_model"].description

# The embedder
assert isinstance(build_embedder(Settings(embedder="oracle")), WordLlamaEmbedder)
assert "`oracle`: knows it" in Settings.model_fields["embedder"].description

# The judge
settings = Settings(conflict_judge="oracle")
judges = Judges()
assert judges.of(JudgeKind(settings.conflict_judge)).name == "oracle"
assert judges.of(JudgeKind("oracle")) is judges.of(JudgeKind("oracle"))
assert "`oracle`: knows it" in Settings.model_fields["conflict_judge"].description
assert schemas["JudgeKind"]["enum"] == ["compact", "language_model", "oracle"]
assert "JudgeKind" in str(schemas["ConflictParameters"]["properties"]["judge"])
"""


@pytest.mark.timeout(150)
def test_new_members_are_found_everywhere() -> None:
    command = [sys.executable, "-W", "error", "-c", ADD_MEMBERS + USE_THEM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
