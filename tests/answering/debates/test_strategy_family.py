"""The list of strategies and their README agree."""

from pathlib import Path

import answering.debates
from answering.debates import STRATEGIES


def test_the_readme_lists_every_strategy_as_it_is() -> None:
    readme = (Path(answering.debates.__file__).parent / "README.md").read_text("utf-8")
    section = readme.partition("## Strategies")[2].partition("\n## ")[0]
    rows = []
    for strategy in STRATEGIES:
        parameters = ", ".join(f"`{name}`" for name in strategy.parameters.model_fields)
        escalation = "yes" if strategy.escalation else ""
        rows.append(f"| `{strategy.name}` | {strategy.summary} | {parameters} | {escalation} |")
    assert [line for line in section.splitlines() if line.startswith("| `")] == rows
