"""Questions worded by a language model, and checked by what they may contain."""

from collections.abc import Mapping

import regex

from answering.errors import UnreadableReply
from answering.models import Chat
from answering.models.chat import tagged_passage
from answering.prompts import load_prompt
from answering.questions.writing.facts import Fact

# The prompt asks for 25; a reply somewhat longer is still one plain question.
MAX_WORDS = 30
# Names and numbers: what a question may not bring in by itself.
_GIVEN = regex.compile(r"(?<!^)\b(?:\p{Lu}[\p{L}\p{M}]{2,}|\d[\d.,]*)\b")


async def question_by_model(fact: Fact, title: str, chat: Chat) -> str | None:
    """A question that the fact answers, in the words of a language model; None where it finds none.

    A question that contains the answer, or a name or number that is in neither the title nor the sentence, is none.
    Raises `ModelError` without a reply.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> from answering.questions.writing.facts import facts
    >>> [fact] = facts("Hallvik Mill was built in 1874.")
    >>> asyncio.run(question_by_model(fact, "Mills", ScriptedChat("Question: When was Hallvik Mill built?")))
    'When was Hallvik Mill built?'
    >>> asyncio.run(question_by_model(fact, "Mills", ScriptedChat("When was Big Mill in Orvik built?")))
    """
    reply = await _reply("query_writing", {"Title": title, "Sentence": fact.sentence, "Answer": fact.answer}, chat)
    question = reply.removeprefix("Question:").strip()
    return question if _is_question(question, fact, title) else None


async def is_clear_to_model(question: str, fact: Fact, chat: Chat) -> bool:
    """Whether a language model finds that the question can be understood by itself and has the one answer of the fact.

    Raises `ModelError` without a reply, `UnreadableReply` where it says neither yes nor no.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> from answering.questions.writing.facts import facts
    >>> [fact] = facts("Hallvik Mill was built in 1874.")
    >>> asyncio.run(is_clear_to_model("In which year was it built?", fact, ScriptedChat("NO")))
    False
    """
    reply = await _reply(
        "query_checking", {"Question": question, "Sentence": fact.sentence, "Answer": fact.answer}, chat
    )
    said = regex.match(r"\W*(yes|no)\b", reply, regex.IGNORECASE)
    if said is None:
        raise UnreadableReply("The language model said neither yes nor no of a question.")
    return said[1].casefold() == "yes"


async def _reply(prompt_name: str, given: Mapping[str, str], chat: Chat) -> str:
    prompt = load_prompt(prompt_name)
    message = "\n".join(f"{name}: {tagged_passage(text)}" for name, text in given.items() if text)
    return (await chat.complete(prompt.text, f"{message}\n\n{prompt.closing}")).text.strip()


def _is_question(text: str, fact: Fact, title: str) -> bool:
    said = f"{title} {fact.sentence}".casefold()
    return (
        text.endswith("?")
        and "\n" not in text
        and len(text.split()) <= MAX_WORDS
        and not regex.search(rf"\b{regex.escape(fact.answer.casefold())}\b", text.casefold())
        and all(found.casefold().rstrip(".,") in said for found in _GIVEN.findall(text))
    )
