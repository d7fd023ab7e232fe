"""A reader that makes no mistake, so that search, estimation, selection and vote are measured without the reader's."""

from collections.abc import Sequence

from answering.readers import ScriptedReader
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.wordings import wordings


def perfect_reader(facts: Sequence[Fact]) -> ScriptedReader:
    """A reader that knows every wording: it reads the first passage on the question, else abstains."""
    answers = {
        (fact.question, wording.text(fact, answer)): answer
        for fact in facts
        for wording in wordings(fact)
        for answer in (fact.golds[0], *fact.wrong)
    }

    def read(question: str, passages: Sequence[str]) -> str | None:
        # A poisoned passage is the question, then a wording.
        texts = (passage.removeprefix(f"{question} ") for passage in passages)
        return next((answers[question, text] for text in texts if (question, text) in answers), None)

    return ScriptedReader(read, name="perfect")
