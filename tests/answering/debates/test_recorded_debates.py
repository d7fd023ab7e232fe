"""Debates that Qwen2.5-Coder held, its words as they came, over documents of ours: when they stop, and with what."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from answering.debates.drag import drag
from answering.debates.madam import madam
from answering.debates.parsing.answers import parse_agent_answer, parse_answers
from answering.debates.parsing.passages import parse_group_answers, parse_groups, parse_passages
from answering.debates.parsing.replies import parse_query_change, parse_verdict
from answering.debates.protocol import Ask, Debate, DebateResult, Reply, Request, SourceDocument
from answering.debates.schema import DragParameters, MadamParameters, ReplyStatus
from answering.prompts import load_prompt
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


REPLIES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "replies.jsonl").read_text("utf-8").splitlines()
]
SIDES = ("proponent", "challenger")


def answers(reply: str, _documents: int) -> object:
    parsed = parse_answers(reply)
    return parsed and list(parsed.answers)


def position(reply: str, _documents: int) -> object:
    parsed = parse_agent_answer(reply)
    return parsed and [parsed.answer, parsed.reason]


def verdict(reply: str, _documents: int) -> object:
    return parse_verdict(reply, SIDES)


def challenge(reply: str, _documents: int) -> object:
    prompt = load_prompt("drag_search_challenger")
    parsed = parse_query_change(reply, 1, f"{prompt.text}\n{prompt.closing}")
    return parsed and [parsed.query, parsed.replaces]


def passages(reply: str, _documents: int) -> object:
    parsed = parse_passages(reply, 3)
    return None if parsed is None else list(parsed)


def groups(reply: str, documents: int) -> object:
    parsed = parse_groups(reply, documents)
    return parsed and [[list(group.documents), group.text] for group in parsed]


def findings(reply: str, documents: int) -> object:
    parsed = parse_group_answers(reply, documents)
    return parsed and [
        [[list(group.documents), group.answer, group.confidence] for group in parsed.groups],
        None if parsed.final is None else list(parsed.final),
    ]


ROLES: Mapping[str, Callable[[str, int], object]] = {
    "closed_book": answers,
    "concatenated": answers,
    "debate_agent": position,
    "debate_agent_revises": position,
    "debate_aggregator": answers,
    "astute_recall": passages,
    "astute_consolidate": groups,
    "astute_answer": findings,
    "drag_search_challenger": challenge,
    "drag_search_judge": verdict,
    "drag_proponent": answers,
    "drag_challenger": answers,
    "drag_judge": verdict,
}


def read(role: str, reply: str, documents: int) -> object:
    """What the role's parser makes of it, as JSON has it; None is unreadable."""
    return ROLES[role](reply, documents)


@for_each("recorded", REPLIES)
def test_what_small_models_wrote(recorded: Mapping[str, Any]) -> None:
    assert read(recorded["role"], recorded["reply"], recorded.get("documents", 0)) == recorded["read"]


def test_every_role_that_is_parsed_is_among_them() -> None:
    assert {recorded["role"] for recorded in REPLIES} == set(ROLES)
