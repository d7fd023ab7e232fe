"""Debates that Qwen2.5-Coder held, its words as they came, over documents of ours: when they stop, and with what."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answering.debates.drag import drag
from answering.debates.madam import madam
from answering.debates.protocol import Ask, Debate, DebateResult, Reply, Request, SourceDocument
from answering.debates.schema import DragParameters, MadamParameters, ReplyStatus
from tests.tables import for_each

DEBATES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "debates.jsonl").read_text("utf-8").splitlines()
]


def begun(recorded: Mapping[str, Any]) -> Debate:
    documents = [SourceDocument(f"d{number}", text) for number, text in enumerate(recorded["documents"], 1)]
    if recorded["strategy"] == "madam":
        return madam(recorded["question"], documents, MadamParameters(rounds=recorded["rounds"]))
    return drag(recorded["question"], documents, DragParameters(response_rounds=recorded["rounds"]))


def replayed(debate: Debate, turns: Sequence[tuple[str, str]]) -> DebateResult:
    """Plays the model: every role says what it said, and nothing is left over."""
    left = deque(turns)

    def reply_to(request: Request) -> Reply[Any]:
        assert isinstance(request, Ask)
        role, text = left.popleft()
        assert request.prompt.name == role
        value = request.parse(text)
        return Reply(value, ReplyStatus.UNREADABLE if value is None else ReplyStatus.ANSWERED, text)

    requests = next(debate)
    try:
        while True:
            requests = debate.send([reply_to(request) for request in requests])
    except StopIteration as end:
        assert not left
        result: DebateResult = end.value
        return result


@for_each("recorded", DEBATES)
def test_when_a_recorded_debate_stops(recorded: Mapping[str, Any]) -> None:
    result = replayed(begun(recorded), recorded["turns"])
    assert (result.stop_reason, result.rounds) == (recorded["stop"], recorded["ended"])
    assert [answer.answer for answer in result.answers] == recorded["answers"]
