"""How a run was started, read and estimated, in words."""

from api.pages.wording import ABSENT
from registry.platform.enums import Trigger

METHODS = {
    "auto": "automatic",
    "one_coin": "one reliability per source",
    "dawid_skene": "a reliability per source and answer, where queries share a few answers",
    "iwmv": "votes weighted by agreement, round after round",
    "majority": "every source counts the same",
    "wawa": "votes weighted by agreement with the majority",
    "oracle": "the true reliabilities",
}
_EVALUATED = {"selected": "as questions are answered", "gold_weights": "weights by right answers"}
WORK = {
    "answer": "questions",
    "estimate": "runs",
    "read": "readings of runs",
    "connector": "feeds and sites",
    "generate_queries": "queries written from documents",
    "webhook": "webhooks",
}
_TRIGGERS = {
    Trigger.HTTP: "a request",
    Trigger.COMMAND: "the command line",
    Trigger.SCHEDULE: "a schedule",
    Trigger.DOCUMENTS: "new documents",
}


def method(name: str | None) -> str:
    """What a method of estimation does, in words; methods of stored runs may be gone."""
    return ABSENT if name is None else METHODS.get(name, name)


def evaluated(name: str) -> str:
    """A way to answer that an evaluation compares, in words."""
    return _EVALUATED.get(name, name.replace("_", " "))


def reason(method_name: str, told: str) -> str:
    """The reason for a method as a sentence, without the name that it begins with."""
    text = told.removeprefix(f"{method_name}: ")
    return text[:1].upper() + text[1:]


def setting(name: str, value: object) -> str:
    """The value of a setting of a run."""
    if value is None:
        return "none"
    return method(str(value)) if name == "method" else reader(str(value)) if name == "reader" else str(value)


def trigger(value: Trigger) -> str:
    """What started a run."""
    return _TRIGGERS[value]


def reader(name: str) -> str:
    """The reader without the revisions in its name, which change with every model."""
    return "the built-in reader" if name.startswith("compact:") else name
