"""A reader that makes no mistake, so that search, estimation, selection and vote are measured without the reader's."""

from collections.abc import Sequence

from answering.readers import ScriptedReader
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.wordings import wordings

NAME = "told"


def telling_reader(facts: Sequence[Fact]) -> ScriptedReader:
    """Knows every wording of every answer; says what the first passage about its question says, else abstains."""
    told = {
        (fact.question, wording.text(fact, answer)): answer
        for fact in facts
        for wording in wordings(fact)
        for answer in (fact.golds[0], *fact.wrong)
    }

    def read(question: str, passages: Sequence[str]) -> str | None:
        # A poisoned passage is a wording behind the question.
        bare = (passage.removeprefix(f"{question} ") for passage in passages)
        return next((told[question, text] for text in bare if (question, text) in told), None)

    return ScriptedReader(read, name=NAME)
