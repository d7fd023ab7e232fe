"""Prompts: one Markdown file each, known by name and by the hash of its text."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is sent; `hash` is the SHA-256 (hex) of all of it.

    `closing` is what the message ends with, where a prompt has that: a small model does what it read last, and answers
    the question if it ends with one.
    """

    name: str
    text: str
    hash: str
    closing: str = ""


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `answering/prompts/<name>.md`; what follows a line `---` closes the message."""
    whole = (files("answering.prompts") / f"{name}.md").read_text(encoding="utf-8").strip()
    text, _, closing = (part.strip() for part in whole.partition("\n---\n"))
    return Prompt(name, text, hashlib.sha256(whole.encode()).hexdigest(), closing)
