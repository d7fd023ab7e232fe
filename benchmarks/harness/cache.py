"""Completions of a language model kept in a file of JSON lines: an interrupted benchmark continues where it stopped."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from answering.errors import ModelUnavailable
from answering.models import Chat, Completion, Sampling
from answering.models.chat import GREEDY
from answering.models.usage import Usage

Row = dict[str, Any]


class JsonLines:
    """A file of JSON objects that is only appended to; an incomplete last line is dropped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            content = path.read_bytes()
            complete = content[: content.rfind(b"\n") + 1]
            if len(complete) < len(content):
                path.write_bytes(complete)
        self.rows: list[Row] = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def append(self, row: Mapping[str, object]) -> None:
        """Add a row at the end of the file."""
        self.rows.append(dict(row))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class CachedChat:
    """Sends each request to the model once; repeats are answered from the file, with their first cost.

    With `read_only` a request that is not in the file raises `ModelUnavailable`. `seconds` is the time of all
    distinct requests so far: what strategies share is counted once. Without `keep` the file stays as it is.
    """

    def __init__(self, chat: Chat, lines: JsonLines, *, read_only: bool = False, keep: bool = True) -> None:
        self.name = chat.name
        self._chat = chat
        self._lines = lines
        self._read_only = read_only
        self._keep = keep
        self._rows = {row["key"]: row for row in lines.rows}
        self._milliseconds: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """Seconds of all distinct requests so far."""
        return sum(self._milliseconds.values()) / 1000

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        """The completion, from the file where it is known."""
        request = json.dumps([self.name, system, message, sampling.temperature, sampling.seed, sampling.max_tokens])
        key = hashlib.sha256(request.encode()).hexdigest()
        row = self._rows.get(key)
        if row is None:
            if self._read_only:
                raise ModelUnavailable("This request is not in the file of completions.")
            row = self._add(key, await self._chat.complete(system, message, sampling=sampling))
        self._milliseconds[key] = row["milliseconds"]
        return Completion(row["text"], Usage(1, row["input"], row["output"], row["milliseconds"]))

    def over(self, chat: Chat) -> "CachedChat":
        """The same completions over another model, whose own are not kept."""
        return CachedChat(chat, self._lines, keep=False)

    async def aclose(self) -> None:
        """Close the model."""
        await self._chat.aclose()

    def _add(self, key: str, completion: Completion) -> Row:
        row: Row = {
            "key": key,
            "text": completion.text,
            "input": completion.usage.input_tokens,
            "output": completion.usage.output_tokens,
            "milliseconds": completion.usage.milliseconds,
        }
        self._rows[key] = row
        if self._keep:
            self._lines.append(row)
        return row
