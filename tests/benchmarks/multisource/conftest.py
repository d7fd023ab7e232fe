"""Facts and corpora made of a small file of our own."""

import pytest

from benchmarks.multisource.facts import Fact
from benchmarks.multisource.wordings import load_pool
from tests.benchmarks.multisource import squad


@pytest.fixture(scope="session")
def facts(tmp_path_factory: pytest.TempPathFactory) -> list[Fact]:
    return load_pool(squad.write(tmp_path_factory.mktemp("squad")))
