"""NDJSON, line by line: a bad line gets a result of its own and harms no other."""

import codecs
from collections.abc import AsyncIterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

MAX_LINE_BYTES = 64 * 2**20
Given = TypeVar("Given", bound=BaseModel)


def parse_line(model: type[Given], raw: bytes) -> Given:
    """The object on a line; raises ValueError with a message for the person who wrote it."""
    if len(raw) > MAX_LINE_BYTES:
        raise ValueError(f"The line is longer than {MAX_LINE_BYTES} bytes.")
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        raise ValueError(explain(error)) from error


def explain(error: ValidationError) -> str:
    """What is wrong with an object, in one line, without repeating what was sent."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    parts = [
        f"{'.'.join(map(str, problem['loc'])) or 'line'}: {problem['msg'].removeprefix('Value error, ')}"
        for problem in problems[:5]
    ]
    return "; ".join(parts)[:1000]


async def numbered(lines: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    number = 0
    async for raw in lines:
        number += 1
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if line.strip():
            yield number, line
