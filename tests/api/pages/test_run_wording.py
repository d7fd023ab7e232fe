"""How runs are told in words."""

from api.pages import run_wording
from estimator.methods import METHODS
from registry.platform.enums import Trigger
from tests.tables import for_each


@for_each("method", [method.name for method in METHODS])
def test_every_method_has_words_without_names_of_the_code(method: str) -> None:
    assert run_wording.method(method) != method
    assert "_" not in run_wording.method(method)


@for_each("trigger", list(Trigger))
def test_every_trigger_has_words(trigger: Trigger) -> None:
    assert " " in run_wording.trigger(trigger)


def test_readers_and_reasons_are_told_without_revisions() -> None:
    assert run_wording.reader("compact:6c0c3730:31") == "the built-in reader"
    assert run_wording.reader("openai:qwen2.5:7b") == "openai:qwen2.5:7b"
    assert run_wording.reason("one_coin", "one_coin: answers of URLs are open") == "Answers of URLs are open"
    assert run_wording.setting("method", "majority") == "every source counts the same"
    assert run_wording.setting("parameter labels", None) == "none"
