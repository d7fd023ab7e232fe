"""What was measured is kept line by line: a benchmark that dies goes on where it was."""

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


class Lines:
    """A file of JSON objects that only grows; a last line that was cut off is forgotten."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            whole = path.read_bytes()
            kept = whole[: whole.rfind(b"\n") + 1]
            if len(kept) < len(whole):
                path.write_bytes(kept)
        self.rows: list[Row] = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def append(self, row: Mapping[str, object]) -> None:
        self.rows.append(dict(row))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class KeptChat:
    """Asks a model once; the same request again is answered from the file, with what it cost the first time.

    What was never asked fails unless it `asks`. `seconds` are those of all different requests so far: what
    strategies share, they pay once.
    """

    def __init__(self, chat: Chat, lines: Lines, *, asks: bool = True) -> None:
        self.name = chat.name
        self._chat = chat
        self._lines = lines
        self._asks = asks
        self._known = {row["key"]: row for row in lines.rows}
        self._used: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        return sum(self._used.values()) / 1000

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        asked = json.dumps([self.name, system, message, sampling.temperature, sampling.seed, sampling.max_tokens])
        key = hashlib.sha256(asked.encode()).hexdigest()
        row = self._known.get(key)
        if row is None:
            if not self._asks:
                raise ModelUnavailable("This was never asked.")
            row = self._row(key, await self._chat.complete(system, message, sampling=sampling))
        self._used[key] = row["milliseconds"]
        return Completion(row["text"], Usage(1, row["input"], row["output"], row["milliseconds"]))

    async def aclose(self) -> None:
        await self._chat.aclose()

    def _row(self, key: str, done: Completion) -> Row:
        row: Row = {
            "key": key,
            "text": done.text,
            "input": done.usage.input_tokens,
            "output": done.usage.output_tokens,
            "milliseconds": done.usage.milliseconds,
        }
        self._known[key] = row
        self._lines.append(row)
        return row
