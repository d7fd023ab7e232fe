"""The commands of the quickstart, run as they are printed against a service of their own."""

import re
import shutil
import subprocess
import sys
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
def address(database_url: URL, tmp_path: Path) -> Iterator[str]:
    """The address of `credence serve --all` on a database of the tests."""
    environment = {
        "PATH": str(Path(sys.executable).parent),
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "DATABASE_URL": database_url.render_as_string(hide_password=False).replace("+psycopg", ""),
        "CREDENCE_PORT": "0",
    }
    command = [str(Path(sys.executable).with_name("credence")), "serve", "--all"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        yield next(match[0] for line in server.stdout if (match := re.search(r"http://127\.0\.0\.1:\d+", line)))
        server.terminate()


def test_the_quickstart_ends_with_the_answer(address: str) -> None:
    text = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if "curl" in block]
    script = "set -e\n" + "\n".join(blocks).replace(ADDRESS, address)
    ended = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=150, check=False)
    assert ended.returncode == 0, ended.stderr
    assert '"answers":["Anna Dahl"]' in ended.stdout
    assert ended.stdout.count('"source_name"') == 3
