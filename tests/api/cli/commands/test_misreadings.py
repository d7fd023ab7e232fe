"""`credence misreadings`."""

import pytest

from tests.api.cli.conftest import Credence
from tests.registry.misread_world import BLURRED, CarelessReader, build_misread, read_colour


@pytest.fixture
def misreading(credence: Credence) -> Credence:
    credence.reader = CarelessReader(read_colour)
    credence.with_runtime(build_misread)
    return credence


def test_readings_are_listed_confirmed_rejected_and_taken_back(misreading: Credence) -> None:
    assert "No reading looks misread." in misreading.done("misreadings", "list").out
    assert "6 look misread" in misreading.done("estimate").out
    listed = misreading.done("misreadings", "list", "--json").documents
    assert len(listed) == len(BLURRED)
    assert "painted" in misreading.done("misreadings", "list").out
    first, second = listed[0]["id"], listed[1]["id"]
    assert "Confirmed: “painted”" in misreading.done("misreadings", "confirm", first).out
    assert misreading.done("misreadings", "reject", second, "--json").document["verdict"] == "rejected"
    assert len(misreading.done("misreadings", "list", "--json").documents) == len(BLURRED) - 2
    assert len(misreading.done("misreadings", "list", "--all", "--json").documents) == len(BLURRED)
    misreading.done("misreadings", "withdraw", first)
    assert "no verdict on reading" in misreading.refused("misreadings", "withdraw", first)
