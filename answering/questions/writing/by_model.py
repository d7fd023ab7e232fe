"""Questions worded by a language model, and checked by what they may contain."""

import regex

from answering.models import Chat
from answering.models.messages import tagged_passage
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
    >>> from answering.models import ScriptedChat
    >>> from answering.questions.writing.facts import facts
    >>> [fact] = facts("Hallvik Mill was built in 1874.")
    >>> asyncio.run(question_by_model(fact, "Mills", ScriptedChat("Question: When was Hallvik Mill built?")))
    'When was Hallvik Mill built?'
    >>> asyncio.run(question_by_model(fact, "Mills", ScriptedChat("When was Big Mill in Orvik built?")))
    """
    prompt = load_prompt("query_writing")
    given = {"Title": title, "Sentence": fact.sentence, "Answer": fact.answer}
    message = "\n".join(f"{name}: {tagged_passage(text)}" for name, text in given.items() if text)
    reply = (await chat.complete(prompt.text, f"{message}\n\n{prompt.closing}")).text.strip()
    question = reply.removeprefix("Question:").strip()
    return question if _is_question(question, fact, title) else None


def _is_question(text: str, fact: Fact, title: str) -> bool:
    said = f"{title} {fact.sentence}".casefold()
    return (
        text.endswith("?")
        and "\n" not in text
        and len(text.split()) <= MAX_WORDS
        and not regex.search(rf"\b{regex.escape(fact.answer.casefold())}\b", text.casefold())
        and all(found.casefold().rstrip(".,") in said for found in _GIVEN.findall(text))
    )
