"""What Qwen2.5-Coder wrote in DRAG's roles, word for word, on questions of RAMDocs: what is made of it."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from answering.debates.parsing import Answers, Challenge, parse_answers, parse_challenge, parse_verdict

REPLIES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "drag_replies.jsonl").read_text("utf-8").splitlines()
]


def read(role: str, reply: str) -> object:
    """What the role's parser makes of it, as JSON has it."""
    if role.endswith("judge"):
        return parse_verdict(reply, ("proponent", "challenger"))
    if role == "drag_search_challenger":
        found = partial(parse_challenge, queries=1)(reply)
        return [found.query, found.replaces] if isinstance(found, Challenge) else found
    answers = parse_answers(reply)
    return list(answers.answers) if isinstance(answers, Answers) else answers


@pytest.mark.parametrize("one", REPLIES, ids=lambda one: f"{one['model']} {one['role']}")
def test_what_small_models_wrote(one: Mapping[str, Any]) -> None:
    assert read(one["role"], one["reply"]) == one["read"]


def test_every_role_that_is_parsed_is_among_them() -> None:
    assert {one["role"] for one in REPLIES} == {
        "drag_search_challenger", "drag_proponent", "drag_challenger", "drag_judge",
    }  # fmt: skip
