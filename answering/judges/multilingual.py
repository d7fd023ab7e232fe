"""A judge of many languages: English by the compact judge, others by a pack over multilingual-e5-small."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from answering.compact.model import CompactModel, ModelThreads
from answering.e5.encoder import require_packages
from answering.e5.window_model import E5WindowModel
from answering.judges.compact import Calibration, CompactJudge, WindowJudge
from answering.judges.judge import Judgement, JudgeProvider, Pair
from answering.text.language import may_be_english

PACK = Path(__file__).parent.parent / "e5" / "judge"
# To be raised with every change of the judgements that is not one of the weights.
REVISION = 3


class MultilingualJudge:
    """Judges as the compact judge does where the claim may be English, and by a pack without rules elsewhere.

    Raises `ModelRefused` without the extra `languages`.
    """

    def __init__(self, folder: Path = PACK, *, threads: int | None = None) -> None:
        require_packages()
        pack = CompactModel.open(folder)
        calibration = Calibration.of(pack.settings)
        self._english = CompactJudge(threads=threads)
        self._threads: ModelThreads[WindowJudge] = ModelThreads(
            lambda: WindowJudge(E5WindowModel(pack), calibration, reads_markers=False),
            name="multilingual judge",
            threads=threads,
        )
        self.name = f"multilingual:{pack.name}:{pack.fingerprint[:12]}:{REVISION}:{self._english.name}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return list(await asyncio.gather(*map(self._judge, pairs)))

    async def aclose(self) -> None:
        self._threads.close()
        await self._english.aclose()

    async def _judge(self, pair: Pair) -> Judgement:
        if may_be_english(pair.claim):
            return (await self._english.judge_all([pair]))[0]
        return await self._threads.run(WindowJudge.judge, pair)


MULTILINGUAL = JudgeProvider(
    name="multilingual",
    summary="compact for English, and a small model for thirteen other languages (extra `languages`)",
    make=lambda _require_chat: MultilingualJudge(),
)
