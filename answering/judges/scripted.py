"""A judge without a model, for tests of everything that judges."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from answering.errors import ModelError
from answering.judges.judge import Judgement, Label, Pair, certain

Verdict: TypeAlias = Label | Judgement | ModelError
Script: TypeAlias = Mapping[tuple[str, str], Verdict] | Callable[[Pair], Verdict]


class ScriptedJudge:
    """Judges by a mapping of (claim, passage), or by a function of the pair.

    A pair that the mapping lacks is irrelevant; a ModelError is raised. `calls` records what was asked, call by call.
    """

    def __init__(self, script: Script | None = None, *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[tuple[Pair, ...]] = []
        self.closed = False
        self._verdict = script if callable(script) else _lookup(script or {})

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.calls.append(tuple(pairs))
        return [_judgement(self._verdict(pair)) for pair in pairs]

    async def aclose(self) -> None:
        self.closed = True


def _judgement(verdict: Verdict) -> Judgement:
    if isinstance(verdict, ModelError):
        raise verdict
    return verdict if isinstance(verdict, Judgement) else certain(verdict)


def _lookup(verdicts: Mapping[tuple[str, str], Verdict]) -> Callable[[Pair], Verdict]:
    def verdict(pair: Pair) -> Verdict:
        return verdicts.get((pair.claim, pair.passage), Label.IRRELEVANT)

    return verdict
