"""What every run of tests needs: limits of time, reproducible examples, and the fixtures where tests run."""

import gc
import os
from pathlib import Path

# Processes that tests start look for the tests here, as those of `make test` do.
os.environ.setdefault("PYTHONPATH", str(Path(__file__).parent.parent))
# The processes of a run share the cores: threads of BLAS, which wait by spinning, would only take them from each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

pytest_plugins = ["tests.limits"]

# Most objects are those of imported modules and stay: looking for garbage after every 700 new ones, as is the default,
# takes a tenth of the time; while tests are collected there is none.
gc.set_threshold(10_000)
gc.disable()

# The same examples on every run, whatever the machine's speed. `HYPOTHESIS_PROFILE=search` draws new and more ones.
settings.register_profile("tests", deadline=None, derandomize=True, max_examples=15, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tests"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that may take long, by the limits of their own, so that none runs alone at the end."""
    limits = {item: marker.args[0] for item in items if (marker := item.get_closest_marker("timeout"))}
    items.sort(key=lambda item: limits.get(item, 0), reverse=True)


def pytest_collection_finish() -> None:
    """What was imported stays, and is not looked through again and again."""
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Import the fixtures, and with them the service, except in a process that only hands tests out to others."""
    if hasattr(config, "workerinput") or config.getoption("dist", "no") == "no":
        config.pluginmanager.import_plugin("tests.fixtures")
