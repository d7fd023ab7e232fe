"""Documents and scripted models that the tests of debates share."""

import re
from collections.abc import Callable, Mapping

from answering.debates import SourceDocument
from answering.errors import ModelError
from answering.models.scripted import ChatCall
from answering.prompts import load_prompt

QUESTION = "Who leads the choir of Sund?"
LENA = SourceDocument("d1", "The choir of Sund has been led by Lena Dahl since 1990.", "a", 0.9)
IVAR = SourceDocument("d2", "On the island, Ivar Brask leads the choir of Sund.", "b", 0.8)
TOM = SourceDocument("d3", "Tom Reed is the leader of the choir of Sund.", "c", 0.3)
NOISE = SourceDocument("d4", "Buses leave the square of Sund every half hour.", "d", None)
DOCUMENTS = (LENA, IVAR, TOM, NOISE)

Role = str | Callable[[ChatCall], str | ModelError]


def by_prompt(roles: Mapping[str, Role], default: str = "") -> Callable[[ChatCall], str | ModelError]:
    """A script that knows its role by the prompt it is given."""
    texts = {load_prompt(name).text: role for name, role in roles.items()}

    def script(call: ChatCall) -> str | ModelError:
        role = texts.get(call.system, default)
        return role if isinstance(role, str) else role(call)

    return script


def reads_names(call: ChatCall) -> str:
    """An agent that finds the name in its document, as a good model would."""
    match = re.search(r"Lena Dahl|Ivar Brask|Tom Reed", call.message.partition("</document>")[0])
    return f"Answer: {match[0] if match else 'unknown'}\nBecause: it says so."


def outside_tags(text: str) -> str:
    """What a model would take at its word: everything that does not stand between a tag and its closing tag."""
    return re.sub(r"<(\w+) [^>\n]*>\n.*?\n</\1>", "", text, flags=re.DOTALL)
