"""The same facts worded by rules and by a language model, to be read one by one."""

import hashlib
from collections.abc import Iterable

from answering.models import Chat
from answering.questions.writing import question_by_model, written_questions
from benchmarks.harness import Report, progress
from benchmarks.harness.language_model import StandIn, foretell

COLUMNS = ("answer", "by rules", "by the language model")


async def measure_wordings(report: Report, name: str, texts: Iterable[tuple[str, str]], chat: Chat, most: int) -> None:
    """Word up to `most` facts of (title, text) pairs, which a hash of their sentences draws."""
    drawn = sorted(
        (hashlib.sha256(fact.sentence.encode()).digest(), title, question, fact)
        for title, text in texts
        for question, fact in written_questions(text)
    )
    stand_in = StandIn(chat.name)
    for _, title, _, fact in drawn[:most]:
        await question_by_model(fact, title, stand_in)
    if not foretell(report, stand_in.usage):
        return
    rows = []
    for number, (_, title, question, fact) in enumerate(drawn[:most], start=1):
        worded = await question_by_model(fact, title, chat)
        rows.append([fact.answer, question, worded or "none"])
        if number % 10 == 0:
            progress(f"{name}: {number} facts worded")
    report.table(f"Facts of {name}", COLUMNS, rows)
    report.figure(f"{name}/worded", sum(row[-1] != "none" for row in rows) / max(1, len(rows)))
