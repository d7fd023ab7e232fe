"""A world in which a reader errs: of one honest source it misreads some texts, and another source lies as often."""

from collections.abc import Sequence
from dataclasses import replace

from answering.readers import Reading
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.world import STATEMENT, build

COLOURS = ("red", "blue", "green", "white", "black", "yellow", "brown", "grey", "pink", "orange")
TOWERS = tuple(f"{head}{tail}" for head in ("Al", "Bren", "Cor", "Del") for tail in ("dra", "vik", "mund", "stead"))
TRUTH = {tower: COLOURS[number % len(COLOURS)] for number, tower in enumerate(TOWERS)}
HONEST = ("herald", "gazette", "times", "post")
BLURRED, LIES = frozenset(TOWERS[:6]), frozenset(TOWERS[10:])


class CarelessReader(ScriptedReader):
    """Reads the colour of the tower asked for, but of some of the herald's texts another word, if any is given, and
    doubts it there.
    """

    misreading: str | None = "painted"

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        reading = await super().read(question, passages, contexts)
        blurred = "By herald" in " ".join(passages) and any(f" {tower} " in question for tower in BLURRED)
        answer = self.misreading if blurred and self.misreading and reading.answer else reading.answer
        return replace(reading, answer=answer, confidence=0.4 if blurred else 0.97)


def read_colour(asked: str, passages: Sequence[str]) -> str | None:
    statements = STATEMENT.findall(" ".join(passages))
    return next((colour for tower, colour in statements if f" {tower} " in asked), None)


async def build_misread(runtime: Runtime, corpus: Corpus, ending: str = "") -> dict[str, Source]:
    """Four honest sources, of one of which six texts are misread by a `CarelessReader`, and one that lies as often.
    In those six texts the colours are spelt with an ending.
    """
    stated = dict.fromkeys(HONEST, TRUTH) | {"rumour": TRUTH | dict.fromkeys(LIES, "violet")}
    stated["herald"] = TRUTH | {tower: TRUTH[tower] + ending for tower in BLURRED}
    return await build(runtime, corpus, stated, TOWERS)
