"""What every run of tests needs: limits of time, reproducible examples, and the fixtures where tests run."""

import gc
import os

import pytest
from hypothesis import settings

pytest_plugins = ["tests.limits"]

# Most objects are those of imported modules and stay: looking for garbage after every 700 new ones, as is the default,
# takes a tenth of the time.
gc.set_threshold(10_000)

# The same examples on every run, whatever the machine's speed. `HYPOTHESIS_PROFILE=search` draws new and more ones.
settings.register_profile("tests", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tests"))


def pytest_configure(config: pytest.Config) -> None:
    """Import the fixtures, and with them the service, except in a process that only hands tests out to others."""
    if hasattr(config, "workerinput") or config.getoption("dist", "no") == "no":
        config.pluginmanager.import_plugin("tests.fixtures")
