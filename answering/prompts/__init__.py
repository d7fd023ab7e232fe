"""Prompts: one Markdown file each, known by name and by the hash of its text."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is sent; `hash` is the SHA-256 (hex) of the text."""

    name: str
    text: str
    hash: str


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `answering/prompts/<name>.md`."""
    text = (files("answering.prompts") / f"{name}.md").read_text(encoding="utf-8").strip()
    return Prompt(name, text, hashlib.sha256(text.encode()).hexdigest())
