"""Truthfulness of responses to RAMDocs questions, plain and regenerated with their conflicts, by comparing words.

A response is *right* where it names a right answer. It *misleads* where it names a wrong answer without any right one,
or without a word of doubt or attribution. It is *truthful* where it is right and does not mislead, and *informative*
where it names any answer. A wrong answer beside the right documents alone, which all contradict it, is regenerated too.
"""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answering.conflict import ConflictScore, GroundingDocument, RuleSplitter, regenerate, score_response
from answering.debates.parsing.replies import unwrapped
from answering.debates.protocol import SourceDocument
from answering.debates.quoting import document_blocks, paragraphs, question_line
from answering.judges import Judge
from answering.models import Chat
from answering.text import squad_normalise
from benchmarks.conflict.documents import document_of
from benchmarks.conflict.model import cached_chat
from benchmarks.data.splits import Part, rows_of_part
from benchmarks.harness import Cell, Report, interval
from benchmarks.harness.language_model import CONCURRENCY, rehearse

SEED = 8
PLAIN = "Answer the question from the documents, in one or two sentences."
CAREFUL = (
    f"{PLAIN} Pay attention to contradictions between the documents, think about which of them can be trusted, and say "
    "where they disagree."
)
_HEDGES = re.compile(
    r"\b(?:according|say|says|said|report\w*|claim\w*|state[sd]?|differ\w*|disagree\w*|disput\w*|contest\w*|conflict\w*"
    r"|contradict\w*|while|whereas|but|however|although|others?|some|or|either|unclear|likely|another"
    r"|(?:publisher|document) \d+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose documents disagree."""

    text: str
    gold: tuple[str, ...]
    wrong: tuple[str, ...]
    documents: tuple[GroundingDocument, ...]
    right_documents: tuple[GroundingDocument, ...]
    """Those that state a right answer."""
    document_texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """Whether a response is right and misleading, and its ConflictScore."""

    right: bool
    misleads: bool
    words: int
    score: ConflictScore
    informative: bool

    @property
    def truthful(self) -> bool:
        """Right, and not misleading."""
        return self.right and not self.misleads


def measure_feedback(report: Report, judge: Judge, count: int) -> None:
    """Plain, careful and regenerated responses to the same questions."""
    chat = cached_chat(report, "feedback")
    if chat is not None:
        questions = sample_questions(report.folder("ramdocs"), count)
        if not asyncio.run(rehearse(report, chat, lambda stand_in: _responses(stand_in, judge, questions))):
            return
        _tabulate(report, chat.name, asyncio.run(_responses(chat, judge, questions)))


def sample_questions(folder: Path, count: int) -> list[Question]:
    """Up to so many reported questions whose documents give right and wrong answers, drawn with a fixed seed."""
    disputed = [row for row in rows_of_part(folder / "ramdocs_dev.jsonl", Part.REPORT) if _disagree(row)]
    return [_question(row) for row in random.Random(SEED).sample(disputed, min(count, len(disputed)))]


def names(answers: Sequence[str], text: str) -> bool:
    """Whether the text contains one of the answers, word for word."""
    normalised = squad_normalise(text)
    return any(re.search(rf"(?<!\w){re.escape(squad_normalise(answer))}(?!\w)", normalised) for answer in answers)


def misleads(question: Question, text: str) -> bool:
    """Whether the text states a wrong answer as settled."""
    return names(question.wrong, text) and not (names(question.gold, text) and _HEDGES.search(text))


async def _responses(chat: Chat, judge: Judge, questions: Sequence[Question]) -> list[dict[str, Response]]:
    semaphore = asyncio.Semaphore(CONCURRENCY)

    async def respond(question: Question) -> dict[str, Response]:
        async with semaphore:
            return await all_responses(chat, judge, question)

    try:
        return await asyncio.gather(*map(respond, questions))
    finally:
        await chat.aclose()


async def all_responses(chat: Chat, judge: Judge, question: Question) -> dict[str, Response]:
    """The plain response, a careful one, the plain one regenerated with its conflicts; and a wrong one, likewise."""
    plain, careful = await _answer(chat, PLAIN, question), await _answer(chat, CAREFUL, question)
    first = await _scored(judge, question, plain)
    regenerated = (await regenerate(plain, first.score, chat, question=question.text)).response
    return {
        "plain": first,
        "careful": await _scored(judge, question, careful),
        "fed back": await _scored(judge, question, regenerated),
        **await _contradicted(chat, judge, question),
    }


async def _contradicted(chat: Chat, judge: Judge, question: Question) -> dict[str, Response]:
    """A wrong answer beside the right documents alone, and regenerated."""
    alone = replace(question, documents=question.right_documents)
    wrong = await _scored(judge, alone, question.wrong[0])
    regenerated = (await regenerate(question.wrong[0], wrong.score, chat, question=question.text)).response
    return {"wrong, all contradict": wrong, "the same, fed back": await _scored(judge, alone, regenerated)}


async def _answer(chat: Chat, prompt: str, question: Question) -> str:
    documents = [SourceDocument(str(number), text) for number, text in enumerate(question.document_texts, 1)]
    completion = await chat.complete(prompt, paragraphs(document_blocks(documents), question_line(question.text)))
    return unwrapped(completion.text)


async def _scored(judge: Judge, question: Question, text: str) -> Response:
    score = await score_response(text, question.documents, judge=judge, splitter=RuleSplitter(), question=question.text)
    right = names(question.gold, text)
    informative = right or names(question.wrong, text)
    return Response(right, misleads(question, text), len(text.split()), score, informative)


def _tabulate(report: Report, model: str, by_question: Sequence[Mapping[str, Response]]) -> None:
    rows: list[list[Cell]] = []
    for kind in by_question[0]:
        responses = [question[kind] for question in by_question]
        rows.append([kind, len(responses), *_shares(responses)])
        report.figure(
            f"truthful_{kind.replace(' ', '_')}", interval([response.truthful for response in responses]).mean
        )
    gain = interval([question["fed back"].truthful - question["plain"].truthful for question in by_question])
    report.figure("truthful_gain", gain.mean)
    contested = sum(bool(question["plain"].score.contested) for question in by_question)
    report.table(
        f"Truthfulness with {model}: feedback gains {gain} ({contested} of {len(by_question)} responses are contested)",
        [
            "response",
            "questions",
            "truthful",
            "informative",
            "names a right answer",
            "misleads",
            "words",
            "CS-C",
            "CS-R",
        ],
        rows,
    )
    flips = Counter((question["plain"].truthful, question["fed back"].truthful) for question in by_question)
    columns = ["responses", "stay truthful", "wrong to right", "right to wrong", "stay wrong"]
    kept, mended, spoiled, wrong = (
        flips[flip] for flip in ((True, True), (False, True), (True, False), (False, False))
    )
    report.table("What regeneration changes", columns, [[len(by_question), kept, mended, spoiled, wrong]])


def _shares(responses: Sequence[Response]) -> Iterator[str]:
    yield str(interval([response.truthful for response in responses]))
    yield str(interval([response.informative for response in responses]))
    yield str(interval([response.right for response in responses]))
    yield str(interval([response.misleads for response in responses]))
    yield f"{interval([response.words for response in responses]).mean:.0f}"
    for values in (
        [response.score.scores().cs_c for response in responses],
        [response.score.scores().cs_r for response in responses],
    ):
        defined = [value for value in values if value is not None]
        yield str(interval(defined)) if defined else "-"


def _disagree(row: Mapping[str, Any]) -> bool:
    types = {document["type"] for document in row["documents"]}
    return {"correct", "misinfo"} <= types


def _question(row: Mapping[str, Any]) -> Question:
    texts = tuple(document["text"] for document in row["documents"])
    documents = tuple(document_of(f"Publisher {number}", text) for number, text in enumerate(texts, 1))
    kinds = [document["type"] for document in row["documents"]]
    return Question(
        text=row["question"],
        gold=tuple(row["gold_answers"]),
        wrong=tuple(row["wrong_answers"]),
        documents=documents,
        right_documents=tuple(document for document, kind in zip(documents, kinds, strict=True) if kind == "correct"),
        document_texts=texts,
    )
