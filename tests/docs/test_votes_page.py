"""The examples in Python of the page about votes run as they are printed, crowd-kit's beside ours where it is there."""

import itertools
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs/votes.md"
TABLES = {
    "panel.csv": ("question,model,answer", (("q1", "q2", "q3"), ("oak", "ash", "box"), "x")),
    "crowd.csv": ("task,worker,label", (("t1", "t2", "t3"), ("ann", "bob", "cy"), "yes")),
    "guesses.csv": ("question,person,guess", (("weight", "height"), ("ann", "bob", "cy"), "12.5")),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # crowd-kit
def test_examples_of_the_library_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    for name, (header, (queries, sources, answer)) in TABLES.items():
        rows = [f"{query},{source},{answer}" for query, source in itertools.product(queries, sources)]
        Path(name).write_text("\n".join([header, *rows]) + "\n")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    left: list[dict[str, Any]] = []
    for block in blocks:
        if "crowdkit" in block and find_spec("crowdkit") is None:
            pytest.skip("crowd-kit is not installed")
        left.append({})
        exec(compile(block, str(PAGE), "exec"), left[-1])  # noqa: S102  (of our own page)
    assert [row["source"] for row in left[0]["result"].sources] == ["oak", "ash", "box"]
    assert left[1]["result"].value.tolist() == [12.5, 12.5]
    assert left[2]["ours"] == dict.fromkeys(("t1", "t2", "t3"), "yes")
    assert left[2]["theirs"].to_dict() == left[2]["ours"]
