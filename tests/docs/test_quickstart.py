"""The commands of the quickstart and of the page about votes, run as they are printed against a service of their own;
`credence` is its client.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

ROOT = Path(__file__).parents[2]
ADDRESS = "http://127.0.0.1:8000"
pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("curl") and shutil.which("jq") and shutil.which("bash")),
        reason="the quickstart needs bash, curl and jq",
    ),
    pytest.mark.timeout(180),
]


@pytest.fixture
def environment(database_url: URL, tmp_path: Path) -> dict[str, str]:
    """Of the service and of the commands: a database of the tests, and the commands of this installation."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "DATABASE_URL": database_url.render_as_string(hide_password=False).replace("+psycopg", ""),
        "CREDENCE_PORT": "0",
    }


@pytest.fixture
def address(environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """The address of `credence serve --all`, of which the log is shown where a test fails."""
    command = [str(Path(sys.executable).with_name("credence")), "serve", "--all"]
    log = tmp_path / "serve.log"
    with log.open("w") as output:
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        while not (match := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
            assert server.poll() is None, log.read_text()
            time.sleep(0.05)
        yield match[0]
    finally:
        server.terminate()
        server.wait(60)
        print(log.read_text())


def test_both_pages_end_with_their_answers(address: str, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "article.md").write_text("# Repairs\n\nThe bridge of Brin was closed for repairs in 1990.")
    (tmp_path / "all.jsonl").write_text(
        '{"source": "Times", "external_id": "a", "content": "The mayor is Ole Lund."}\n'
    )
    text = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("quickstart.md", "votes.md"))
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    blocks = [block for language, block in fences if not language]  # those with a language show what is printed
    script = "set -e\n" + "\n".join(blocks).replace(ADDRESS, address)
    environment |= {"CREDENCE_URL": address}
    ended = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert '"answers":["Anna Dahl"]' in ended.stdout
    assert ended.stdout.count('"source_name"') == 3
    assert ended.stdout.count("1 created, 0 updated, 0 unchanged, 0 rejected.") == 2
    assert "Already there: q-" in ended.stdout
    assert "Anna Dahl  answered" in ended.stdout
    assert "2,400 created, 0 updated, 0 unchanged, 0 rejected." in ended.stdout
    lines = {line.rstrip() for line in ended.stdout.splitlines()}
    printed = [block for language, block in fences if language == "text" and "oak" in block]
    assert [line for line in printed[0].splitlines() if line not in lines] == []
    assert "391  answered" in ended.stdout
    assert '"answer": "391"' in ended.stdout
