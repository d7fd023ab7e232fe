"""Debates that Qwen2.5-Coder held, its words as they came, over documents of ours: when they stop, and with what."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from answering.debates import SourceDocument, drag, madam
from answering.debates.drag import DragParameters
from answering.debates.madam import MadamParameters
from answering.debates.protocol import Ask, Debate, DebateResult, Reply, ReplyStatus, Request

DEBATES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "debates.jsonl").read_text("utf-8").splitlines()
]


def begun(one: Mapping[str, Any]) -> Debate:
    documents = [SourceDocument(f"d{number}", text) for number, text in enumerate(one["documents"], 1)]
    if one["strategy"] == "madam":
        return madam(one["question"], documents, MadamParameters(rounds=one["rounds"]))
    return drag(one["question"], documents, DragParameters(response_rounds=one["rounds"]))


def held(debate: Debate, turns: Sequence[tuple[str, str]]) -> DebateResult:
    """Plays the model: every role says what it said, and nothing is left over."""
    left = deque(turns)

    def said(request: Request) -> Reply[Any]:
        assert isinstance(request, Ask)
        role, text = left.popleft()
        assert request.prompt.name == role
        value = request.parse(text)
        return Reply(value, ReplyStatus.UNREADABLE if value is None else ReplyStatus.ANSWERED, text)

    requests = next(debate)
    try:
        while True:
            requests = debate.send([said(request) for request in requests])
    except StopIteration as end:
        assert not left
        result: DebateResult = end.value
        return result


@pytest.mark.parametrize("one", DEBATES, ids=lambda one: f"{one['strategy']}: {one['why']}")
def test_when_a_recorded_debate_stops(one: Mapping[str, Any]) -> None:
    result = held(begun(one), one["turns"])
    assert (result.stop_reason, result.rounds) == (one["stop"], one["ended"])
    assert [answer.answer for answer in result.answers] == one["answers"]
