"""Judges that are scripted."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from answering.enums import JudgeKind
from answering.judges import Judge, Judgement, Label, Pair
from registry.platform.providers import Judges
from registry.runtime import Runtime
from tests.fakes.scripted_judge import ScriptedJudge
from tests.registry.world import TOWERS


def colour_judge() -> ScriptedJudge:
    """Sees whether a passage gives the tower of the claim that colour or another one."""

    def label(pair: Pair) -> Label:
        tower = next((name for name in TOWERS if name in pair.claim), None)
        if tower is None or f"tower of {tower} is" not in pair.passage:
            return Label.IRRELEVANT
        colour = pair.passage.split(f"tower of {tower} is painted ")[1].split(".")[0]
        return Label.SUPPORTS if colour in pair.claim else Label.CONTRADICTS

    return ScriptedJudge(label)


def judged_by(runtime: Runtime, judge: Judge) -> Runtime:
    return replace(runtime, judges=Judges(replacements=dict.fromkeys(JudgeKind, judge)))


class SlowJudge:
    name = "slow"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        await asyncio.sleep(3600)
        raise AssertionError(pairs)

    async def aclose(self) -> None:
        """Nothing is open."""
