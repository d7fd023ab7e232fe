"""`credence nextcloud`: what it needs, and what it says where Nextcloud cannot be reached."""

from tests.api.cli.conftest import Credence


def test_the_service_and_its_key_are_needed(credence: Credence) -> None:
    assert "Name the service with --url" in credence.refused("nextcloud", "http://127.0.0.1:9")


def test_a_cloud_that_cannot_be_reached_is_said(credence: Credence) -> None:
    credence.before = ("--url", "http://127.0.0.1:9", "--key", "crd_x")
    assert "127.0.0.1: " in credence.refused("nextcloud", "http://127.0.0.1:9", "--once")
