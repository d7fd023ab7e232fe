"""The judges of a process, each made when it is first needed."""

from collections.abc import Mapping

from answering.chats import Chat
from answering.judges import ChatJudge, Judge
from answering.judges.compact import CompactJudge
from registry.errors import SettingsError
from registry.language import NO_CHAT
from registry.settings import JudgeKind


class Judges:
    """Makes judges and keeps them; those that are given stand in for them. The chat model stays its owner's."""

    def __init__(self, chat: Chat | None = None, given: Mapping[JudgeKind, Judge] | None = None) -> None:
        self._chat = chat
        self._given = dict(given or {})
        self._compact: CompactJudge | None = None

    def of(self, kind: JudgeKind) -> Judge:
        """Raises `SettingsError` where no language model is configured, `ModelDamaged` where weights are missing."""
        if kind in self._given:
            return self._given[kind]
        if kind is JudgeKind.LANGUAGE_MODEL:
            return self._language_model()
        self._compact = self._compact or CompactJudge()
        return self._compact

    async def aclose(self) -> None:
        """Close what was made here."""
        if self._compact is not None:
            await self._compact.aclose()

    def _language_model(self) -> Judge:
        if self._chat is None:
            raise SettingsError(NO_CHAT)
        return ChatJudge(self._chat)
