"""Does a response become more truthful when its conflicts are fed back? RAMDocs, words compared, no judge asked.

A response is *right* where it names a right answer. It *misleads* where it names a wrong answer as settled: without any
right one, or without saying that versions differ. It is *truthful* where it is right and does not mislead.
"""

import asyncio
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answering.conflict import ConflictScore, GroundingDocument, RuleSplitter, regenerate, score_response
from answering.debates import SourceDocument
from answering.debates.parsing.replies import unwrapped
from answering.debates.quoting import document_blocks, paragraphs, question_line
from answering.judges import Judge
from answering.models import Chat
from answering.text import squad_normalise
from benchmarks.conflict_documents import document_of
from benchmarks.conflict_model import AT_ONCE, kept_chat
from benchmarks.harness import Cell, Report, interval
from benchmarks.training.splits import Part, part_of

SEED = 8
QUESTIONS = 40
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
class Asked:
    """A question whose documents disagree."""

    question: str
    gold: tuple[str, ...]
    wrong: tuple[str, ...]
    documents: tuple[GroundingDocument, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A response, what of it is true, and its score."""

    right: bool
    misleads: bool
    words: int
    score: ConflictScore

    @property
    def truthful(self) -> bool:
        """Right, and not misleading."""
        return self.right and not self.misleads


def measure_feedback(report: Report, judge: Judge) -> None:
    """Responses plain, careful, and written anew with their conflicts, on the same questions."""
    chat = kept_chat(report, "feedback")
    if chat is not None:
        _tell(report, chat.name, asyncio.run(_all(chat, judge, drawn(report.folder("ramdocs")))))


def drawn(folder: Path) -> list[Asked]:
    """Questions of the reported half whose documents give right and wrong answers, drawn by a seed."""
    rows = [json.loads(line) for line in (folder / "ramdocs_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [row for row in rows if part_of(row["question"]) is Part.REPORT and _disagree(row)]
    return [_asked(row) for row in random.Random(SEED).sample(found, min(QUESTIONS, len(found)))]


def names(answers: Sequence[str], text: str) -> bool:
    """Whether one of the answers stands in the text, word for word."""
    said = squad_normalise(text)
    return any(re.search(rf"(?<!\w){re.escape(squad_normalise(answer))}(?!\w)", said) for answer in answers)


def misleads(asked: Asked, text: str) -> bool:
    """Whether the text gives a wrong answer for settled."""
    return names(asked.wrong, text) and not (names(asked.gold, text) and _HEDGES.search(text))


async def _all(chat: Chat, judge: Judge, asked: Sequence[Asked]) -> list[dict[str, Written]]:
    turn = asyncio.Semaphore(AT_ONCE)

    async def written(one: Asked) -> dict[str, Written]:
        async with turn:
            return await written_three_ways(chat, judge, one)

    try:
        return await asyncio.gather(*map(written, asked))
    finally:
        await chat.aclose()


async def written_three_ways(chat: Chat, judge: Judge, asked: Asked) -> dict[str, Written]:
    """The plain response, a careful one, and the plain one written anew with its conflicts."""
    plain, careful = await _answer(chat, PLAIN, asked), await _answer(chat, CAREFUL, asked)
    first = await _written(judge, asked, plain)
    again = (await regenerate(plain, first.score, chat, question=asked.question)).response
    return {
        "plain": first,
        "careful": await _written(judge, asked, careful),
        "fed back": await _written(judge, asked, again),
    }


async def _answer(chat: Chat, prompt: str, asked: Asked) -> str:
    shown = [SourceDocument(str(number), text) for number, text in enumerate(asked.texts, 1)]
    done = await chat.complete(prompt, paragraphs(document_blocks(shown), question_line(asked.question)))
    return unwrapped(done.text)


async def _written(judge: Judge, asked: Asked, text: str) -> Written:
    score = await score_response(text, asked.documents, judge=judge, splitter=RuleSplitter(), question=asked.question)
    return Written(names(asked.gold, text), misleads(asked, text), len(text.split()), score)


def _tell(report: Report, model: str, written: Sequence[Mapping[str, Written]]) -> None:
    rows: list[list[Cell]] = []
    for way in written[0]:
        found = [one[way] for one in written]
        rows.append([way, len(found), *_shares(found)])
        report.figure(f"truthful_{way.replace(' ', '_')}", interval([one.truthful for one in found]).mean)
    gain = interval([one["fed back"].truthful - one["plain"].truthful for one in written])
    report.figure("truthful_gain", gain.mean)
    contested = sum(bool(one["plain"].score.contested) for one in written)
    report.table(
        f"Truthfulness with {model}: feedback gains {gain} ({contested} of {len(written)} responses are contested)",
        ["response", "questions", "truthful", "names a right answer", "misleads", "words", "CS-C", "CS-R"],
        rows,
    )


def _shares(found: Sequence[Written]) -> Iterator[str]:
    yield str(interval([one.truthful for one in found]))
    yield str(interval([one.right for one in found]))
    yield str(interval([one.misleads for one in found]))
    yield f"{interval([one.words for one in found]).mean:.0f}"
    for values in ([one.score.scores().cs_c for one in found], [one.score.scores().cs_r for one in found]):
        known = [value for value in values if value is not None]
        yield str(interval(known)) if known else "-"


def _disagree(row: Mapping[str, Any]) -> bool:
    types = {document["type"] for document in row["documents"]}
    return {"correct", "misinfo"} <= types


def _asked(row: Mapping[str, Any]) -> Asked:
    texts = tuple(document["text"] for document in row["documents"])
    return Asked(
        question=row["question"],
        gold=tuple(row["gold_answers"]),
        wrong=tuple(row["wrong_answers"]),
        documents=tuple(document_of(f"Publisher {number}", text) for number, text in enumerate(texts, 1)),
        texts=texts,
    )
