"""What people are told of messages that name settings."""

import pytest

from answering.models.openai_client import CHAT
from api.text import without_settings
from registry.platform.providers import no_chat_error

MENDED_BY = "Whoever runs this service can change that."


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Every reading failed.", "Every reading failed."),
        ("Read them, or configure a model (CREDENCE_CHAT_MODEL).", "Read them, or configure a model."),
        (
            f"{CHAT.name} cannot be reached at http://10.0.0.9/v1; look at {CHAT.url}.",
            f"{CHAT.name} cannot be reached at http://10.0.0.9/v1. {MENDED_BY}",
        ),
        (str(no_chat_error()), f"No language model is configured. {MENDED_BY}"),
        ("Set CREDENCE_READER.", MENDED_BY),
    ],
)
def test_people_who_cannot_change_settings_read_of_none(message: str, shown: str) -> None:
    assert without_settings(message) == shown
