"""NDJSON: one JSON object a line, validated line by line."""

import asyncio
import codecs
import time
from collections.abc import AsyncIterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from registry.platform.errors import ImportTooLarge

MAX_LINE_BYTES = 64 * 2**20
TURN_SECONDS = 0.02
Model = TypeVar("Model", bound=BaseModel)


def parse_line(model: type[Model], line: bytes) -> Model:
    """The object on a line; raises ValueError with a message for its author."""
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"The line is longer than {MAX_LINE_BYTES} bytes.")
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        raise ValueError(explain(error)) from error


def explain(error: ValidationError) -> str:
    """The first five problems of an object as one line of text, without the values that were sent."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    parts = [
        f"{'.'.join(map(str, problem['loc'])) or 'line'}: {problem['msg'].removeprefix('Value error, ')}"
        for problem in problems[:5]
    ]
    return "; ".join(parts)[:1000]


class Turns:
    """Lets the other tasks of the event loop run while this one works on what is already there, without a wait."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    async def next(self) -> None:
        """Wait for the others, if this task has run for `TURN_SECONDS`."""
        if time.perf_counter() - self._began > TURN_SECONDS:
            await asyncio.sleep(0)
            self._began = time.perf_counter()


async def number_lines(lines: AsyncIterator[bytes], most: int) -> AsyncIterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1, and without a byte order mark.

    Raises ImportTooLarge at the line after the first `most`.
    """
    number, turns = 0, Turns()
    async for line in lines:
        number += 1
        if number > most:
            raise ImportTooLarge(f"An import has at most {most} lines; send the rest by itself.")
        await turns.next()
        content = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if content.strip():
            yield number, content
