"""The judges of a process, each made when it is first needed."""

from collections.abc import Mapping

from answering.judges import ChatJudge, Judge
from answering.judges.compact import CompactJudge
from answering.models import Chat
from registry.errors import SettingsError
from registry.providers.language import NO_CHAT
from registry.settings import JudgeKind


class Judges:
    """Makes judges and keeps them; those that are given stand in for them. The chat model stays its owner's.

    With an owner, what is not asked of a chat model is asked of its judges.
    """

    def __init__(
        self,
        chat: Chat | None = None,
        given: Mapping[JudgeKind, Judge] | None = None,
        *,
        owner: "Judges | None" = None,
    ) -> None:
        self._chat = chat
        self._given = dict(given or {})
        self._owner = owner
        self._compact: CompactJudge | None = None

    def asking(self, chat: Chat) -> "Judges":
        """The same judges, but that the language model is asked through this one; closing it closes nothing."""
        return Judges(chat, owner=self)

    def of(self, kind: JudgeKind) -> Judge:
        """Raises `SettingsError` where no language model is configured, `ModelDamaged` where weights are missing."""
        if kind in self._given:
            return self._given[kind]
        if self._owner is not None and (kind is not JudgeKind.LANGUAGE_MODEL or self._owner.was_given(kind)):
            return self._owner.of(kind)
        if kind is JudgeKind.LANGUAGE_MODEL:
            return self._language_model()
        self._compact = self._compact or CompactJudge()
        return self._compact

    def was_given(self, kind: JudgeKind) -> bool:
        """Whether another judge stands in for one of this kind."""
        return kind in self._given

    async def aclose(self) -> None:
        """Close what was made here."""
        if self._compact is not None:
            await self._compact.aclose()

    def _language_model(self) -> Judge:
        if self._chat is None:
            raise SettingsError(NO_CHAT)
        return ChatJudge(self._chat)
