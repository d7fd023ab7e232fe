"""The reader, chat model and judges that the settings name."""

import pytest
from pydantic import ValidationError

from answering.enums import JudgeKind
from answering.errors import ModelRefused
from answering.models.openai_client import CHAT
from registry.platform.errors import SettingsError
from registry.platform.providers import Judges, build_chat, build_reader, knows_language, local_judge
from registry.platform.settings import Settings
from tests.tables import for_each

URL = "http://127.0.0.1:1/v1"


@for_each(
    ("values", "name"),
    [
        ({"chat_url": URL, "chat_model": "big"}, "openai:big"),
        ({"chat_model": "/models/Small.Q4.gguf"}, "gguf:Small.Q4"),
        ({"reader": "openai", "reader_url": URL, "reader_model": "small"}, "openai:small"),
        ({"reader": "gguf", "reader_model": "/models/Tiny.gguf"}, "gguf:Tiny"),
        ({"reader": "gguf", "reader_model": "/models/Tiny.gguf", "chat_url": URL, "chat_model": "big"}, "openai:big"),
    ],
)
async def test_the_chat_model_is_the_configured_one_or_that_of_the_reader(values: dict[str, str], name: str) -> None:
    chat = build_chat(Settings.model_validate(values))
    assert chat is not None
    assert chat.name == name
    assert Judges(chat).of(JudgeKind.LANGUAGE_MODEL).name.startswith(f"{name}:")
    await chat.aclose()


@for_each(("reader", "screened"), [("openai", True), ("gguf", True), ("compact", False)])
async def test_language_models_that_read_may_be_prefiltered(reader: str, screened: bool) -> None:
    values = {"reader": reader, "reader_url": URL, "reader_model": "small"}
    for option, expected in (({}, False), ({"reader_screened": "true"}, screened)):
        built = build_reader(Settings.model_validate(values | option))
        assert built is not None
        assert (" after compact:" in built.name) is expected
        await built.aclose()


@pytest.mark.parametrize("reader", ["compact", "none"])
def test_without_a_chat_model_the_setting_is_named(reader: str) -> None:
    chat = build_chat(Settings.model_validate({"reader": reader}))
    assert chat is None
    with pytest.raises(SettingsError, match=CHAT.model):
        Judges(chat).of(JudgeKind.LANGUAGE_MODEL)


def test_a_url_without_a_model_is_refused() -> None:
    with pytest.raises(ValidationError, match="CREDENCE_CHAT_MODEL"):
        Settings.model_validate({"chat_url": URL})


async def test_for_a_missing_file_the_setting_is_named() -> None:
    chat = build_chat(Settings.model_validate({"chat_model": "/nowhere/x.gguf"}))
    assert chat is not None
    with pytest.raises(ModelRefused, match="CREDENCE_CHAT_MODEL"):
        await chat.complete("Be brief.", "Who?")
    await chat.aclose()


async def test_gguf_readers_are_named_by_file() -> None:
    reader = build_reader(Settings.model_validate({"reader": "gguf", "reader_model": "/models/Small.Q4.gguf"}))
    assert reader is not None
    assert reader.name == "gguf:Small.Q4"


@for_each(
    ("values", "knows_german", "judge"),
    [
        ({}, False, JudgeKind.COMPACT),
        ({"reader": "multilingual"}, True, JudgeKind.MULTILINGUAL),
        ({"reader": "openai", "reader_url": URL, "reader_model": "small"}, True, JudgeKind.COMPACT),
    ],
)
def test_a_reader_of_many_languages_has_a_judge_of_many(
    values: dict[str, str], knows_german: bool, judge: JudgeKind
) -> None:
    settings = Settings.model_validate(values)
    assert knows_language(settings, "Wer hat die Mühle von Brin gebaut?") is knows_german
    assert knows_language(settings, "Who built the mill of Brin?")
    assert local_judge(settings) is judge
