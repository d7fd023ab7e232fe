"""A test that hangs, in whatever way, ends the run with a failure, and soon."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HANGING = """
import asyncio, time
import pytest

@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"

async def test_awaits():
    await asyncio.Event().wait()

@pytest.mark.timeout(0.2)
async def test_awaits_with_a_limit_of_its_own():
    await asyncio.Event().wait()

async def test_swallows_its_cancellation():
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

def test_blocks():
    time.sleep(1000)

@pytest.fixture
async def never_set_up():
    await asyncio.Event().wait()

async def test_awaits_in_set_up(never_set_up):
    pass

@pytest.fixture
async def never_torn_down():
    yield
    await asyncio.Event().wait()

async def test_awaits_in_tear_down(never_torn_down):
    pass

@pytest.fixture(scope="class")
def never_stopped():
    yield
    time.sleep(1000)

class TestOne:
    def test_blocks_in_tear_down(self, never_stopped):
        pass
"""


PLUGINS = ["anyio", "pytest_timeout", "xdist.plugin", "tests.limits"]


@pytest.mark.timeout(150)
def test_whatever_hangs_fails(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    (tmp_path / "pytest.ini").write_text("[pytest]\nanyio_mode = auto\ntimeout = 0.4\ntimeout_func_only = true\n")
    command = [sys.executable, "-m", "pytest", *(f"-p{name}" for name in PLUGINS), "-n1", "-rfE", str(tmp_path)]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=140, check=False)
    names = set(re.findall(r"def (test_\w+)", HANGING))
    failed = set(re.findall(r"^(?:FAILED|ERROR) \S*::(test_\w+)", done.stdout, re.MULTILINE))
    assert failed == names, done.stdout + done.stderr
