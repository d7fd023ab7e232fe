"""Writes what the demo prints into the README: `credence demo --once | python -m api.demo.excerpt`."""

import re
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
_BLOCK = re.compile(r"(<!-- demo -->\n```\n).*?(```\n<!-- end -->)", re.DOTALL)
_PARTS = (
    re.compile(r"^(?:Sources differ by topic|Estimates against the truth).*?(?=\n\n)", re.MULTILINE | re.DOTALL),
    re.compile(r"^A question most sources get wrong.*?(?=\n\n)", re.MULTILINE | re.DOTALL),
)


def excerpt(output: str) -> str:
    """The topics, the comparison with the truth, and the second question.

    Raises `ValueError` if the output has none of them.
    """
    matches = [part.search(output) for part in _PARTS]
    if None in matches:
        raise ValueError("this is not the output of `credence demo --once`")
    return "\n\n".join(match[0] for match in matches if match) + "\n"


def main() -> None:
    """Replace the block of the README."""
    page = README.read_text(encoding="utf-8")
    README.write_text(_BLOCK.sub(lambda match: match[1] + excerpt(sys.stdin.read()) + match[2], page), encoding="utf-8")


if __name__ == "__main__":
    main()
