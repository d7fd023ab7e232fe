"""The judges of a process, each made when it is first needed."""

from collections.abc import Mapping

from answering.judges import Judge
from registry.language import build_judge
from registry.settings import JudgeKind, Settings


class Judges:
    """Makes the judges that the settings name, and keeps them; those that are given stand in for them."""

    def __init__(self, settings: Settings | None = None, given: Mapping[JudgeKind, Judge] | None = None) -> None:
        self._settings = settings
        self._given = dict(given or {})
        self._made: dict[JudgeKind, Judge] = {}

    def of(self, kind: JudgeKind) -> Judge:
        """Raises `SettingsError` where no language model is configured, `ModelDamaged` where weights are missing."""
        if kind in self._given:
            return self._given[kind]
        if kind not in self._made:
            self._made[kind] = build_judge(self._settings or Settings(), kind)
        return self._made[kind]

    async def aclose(self) -> None:
        """Close those that were made here."""
        for judge in self._made.values():
            await judge.aclose()
