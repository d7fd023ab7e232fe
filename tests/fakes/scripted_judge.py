"""A judge that judges from a script."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from answering.errors import ModelError
from answering.judges.judge import Judgement, Label, Pair

Verdict: TypeAlias = Label | Judgement | ModelError
Script: TypeAlias = Mapping[tuple[str, str], Verdict] | Callable[[Pair], Verdict]


class ScriptedJudge:
    """Judges by a mapping of (claim, passage), or by a function of the pair.

    A pair that the mapping lacks is irrelevant; a `ModelError` is raised. `calls` records the pairs of each call.

    >>> import asyncio
    >>> judge = ScriptedJudge(lambda pair: Label.SUPPORTS if pair.claim in pair.passage else Label.IRRELEVANT)
    >>> asyncio.run(judge.judge_all([Pair("It is red.", "It is red.")]))[0].supports
    1.0
    """

    def __init__(self, script: Script | None = None, *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[tuple[Pair, ...]] = []
        self.closed = False
        self._script = script or {}

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.calls.append(tuple(pairs))
        return [self._judge(pair) for pair in pairs]

    async def aclose(self) -> None:
        self.closed = True

    def _judge(self, pair: Pair) -> Judgement:
        if callable(self._script):
            verdict = self._script(pair)
        else:
            verdict = self._script.get((pair.claim, pair.passage), Label.IRRELEVANT)
        if isinstance(verdict, ModelError):
            raise verdict
        return verdict if isinstance(verdict, Judgement) else Judgement.certain(verdict)
