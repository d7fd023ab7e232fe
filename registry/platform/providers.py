"""The reader, chat model, embedder and judges that the settings name."""

from collections.abc import Mapping

from answering.embedders import EMBEDDERS, Embedder
from answering.enums import JudgeKind
from answering.judges import JUDGES, Judge
from answering.models import CHATS, Chat, LimitedChat
from answering.providers import provider_named
from answering.readers import NONE, READERS, LimitedReader, PrefilteredReader, Reader, ReaderKind
from answering.text.language import may_be_english
from registry.platform.errors import SettingsError
from registry.platform.settings import Settings

# At a reading or reply whose failure may be temporary.
ATTEMPTS = 3


def no_chat_error() -> SettingsError:
    """The error that no language model is configured; it says how to configure one."""
    readers = " or ".join(provider.name for provider in READERS if provider.make_chat is not None)
    return SettingsError(
        "No language model is configured. Set CREDENCE_CHAT_MODEL, with CREDENCE_CHAT_URL or to the path of a GGUF "
        f"file, or read with one (CREDENCE_READER={readers})."
    )


def no_reader_error() -> SettingsError:
    """The error that no reader is configured; it says how to configure one."""
    *others, last = (provider.choice for provider in READERS if provider is not NONE)
    return SettingsError(
        f"No reader is configured, so nothing can be read. Set CREDENCE_READER to {', to '.join(others)} or to {last}."
    )


def build_embedder(settings: Settings) -> Embedder:
    return provider_named(EMBEDDERS, settings.embedder).make(settings)


def build_reader(settings: Settings) -> Reader | None:
    """The reader of `CREDENCE_READER` with limits and retries; None if nothing is to be read."""
    provider = provider_named(READERS, settings.reader)
    reader = provider.make(settings)
    if reader is None:
        return None
    return LimitedReader(
        PrefilteredReader(reader) if settings.reader_screened and provider.calls_model else reader,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=ATTEMPTS,
    )


def knows_language(settings: Settings, question: str) -> bool:
    """Whether the configured reader, and the compact one where it is a filter, know the language of a question."""
    return provider_named(READERS, settings.reader).knows(question) and (
        not settings.reader_screened or may_be_english(question)
    )


def local_judge(settings: Settings) -> JudgeKind:
    """The judge on this machine that knows the languages of the configured reader."""
    return JudgeKind.MULTILINGUAL if settings.reader is ReaderKind.MULTILINGUAL else JudgeKind.COMPACT


def build_chat(settings: Settings, attempts: int = ATTEMPTS) -> Chat | None:
    """The model of `CREDENCE_CHAT_MODEL`, else that of the reader, with the limits of a reader; None without either."""
    if settings.chat_model is not None:
        chat = next(provider for provider in CHATS if provider.serves(settings)).make(settings)
    elif make_chat := provider_named(READERS, settings.reader).make_chat:
        chat = make_chat(settings)
    else:
        return None
    return LimitedChat(
        chat,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=attempts,
    )


class Judges:
    """The judges of a process, each made when it is first used; `replacements` stand in for the configured ones.

    Judges that call a model use `chat`, which they do not close.
    """

    def __init__(self, chat: Chat | None = None, replacements: Mapping[JudgeKind, Judge] | None = None) -> None:
        self._chat = chat
        self._replacements = dict(replacements or {})
        self._local: dict[JudgeKind, Judge] = {}

    def with_chat(self, chat: Chat) -> "Judges":
        """The same judges, except that those that call a model use this one."""
        judges = Judges(chat, self._replacements)
        judges._local = self._local
        return judges

    def of(self, kind: JudgeKind) -> Judge:
        """Raises `SettingsError` where no language model is configured, `ModelDamaged` where weights are missing."""
        judge = self._replacements.get(kind) or self._local.get(kind)
        if judge is None:
            provider = provider_named(JUDGES, kind)
            judge = provider.make(self._require_chat)
            if not provider.calls_model:
                self._local[kind] = judge
        return judge

    async def aclose(self) -> None:
        """Closes the judges that were made here and call no model."""
        for judge in self._local.values():
            await judge.aclose()

    def _require_chat(self) -> Chat:
        if self._chat is None:
            raise no_chat_error()
        return self._chat
