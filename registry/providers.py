"""The reader, chat model, embedder and judges that the settings name."""

from collections.abc import Mapping

from pydantic import SecretStr

from answering.embedders import Embedder, OpenAIEmbedder, WordLlamaEmbedder
from answering.judges import ChatJudge, Judge
from answering.judges.compact import CompactJudge
from answering.models import Chat, LimitedChat, LlamaCppChat
from answering.models.openai import OpenAIChat
from answering.models.openai_client import CHAT
from answering.readers import CompactReader, LimitedReader, LlamaCppReader, OpenAIReader, PrefilteredReader, Reader
from registry.errors import SettingsError
from registry.settings import EmbedderKind, JudgeKind, ReaderKind, Settings

# A rewritten response, or a turn of a debate, is no book.
MAX_CHAT_TOKENS = 2048
NO_CHAT = (
    "No language model is configured. Set CREDENCE_CHAT_MODEL, with CREDENCE_CHAT_URL or to the path of a GGUF file, "
    "or read with one (CREDENCE_READER=openai or gguf)."
)


def build_embedder(settings: Settings) -> Embedder:
    """The embedder of `CREDENCE_EMBEDDER`."""
    if settings.embedder is EmbedderKind.WORDLLAMA:
        return WordLlamaEmbedder()
    return OpenAIEmbedder(
        base_url=str(settings.embedding_url),
        model=str(settings.embedding_model),
        dimension=settings.embedding_dimension,
        api_key=_shown(settings.embedding_api_key),
    )


def build_reader(settings: Settings) -> Reader | None:
    """The reader of `CREDENCE_READER`, bounded and retried; None if there is to be none."""
    reader: Reader
    if settings.reader is ReaderKind.NONE:
        return None
    if settings.reader is ReaderKind.COMPACT:
        reader = CompactReader()
    elif settings.reader is ReaderKind.GGUF:
        reader = LlamaCppReader(str(settings.reader_model), span_only=settings.reader_span_only)
    else:
        reader = OpenAIReader(
            base_url=str(settings.reader_url),
            model=str(settings.reader_model),
            api_key=_shown(settings.reader_api_key),
        )
    screened = settings.reader_screened and settings.reader is not ReaderKind.COMPACT
    return LimitedReader(
        PrefilteredReader(reader) if screened else reader,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=settings.reader_attempts,
    )


def build_chat(settings: Settings) -> Chat | None:
    """The language model of `CREDENCE_CHAT_MODEL`, else the reader's, bounded as a reader is; None if there is none."""
    chat = _chat_of_its_own(settings) or _chat_of_the_reader(settings)
    if chat is None:
        return None
    return LimitedChat(
        chat,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=settings.reader_attempts,
    )


def _chat_of_its_own(settings: Settings) -> Chat | None:
    if settings.chat_model is None:
        return None
    if settings.chat_url is None:
        return LlamaCppChat(settings.chat_model, max_tokens=MAX_CHAT_TOKENS)
    return OpenAIChat(
        base_url=str(settings.chat_url),
        model=settings.chat_model,
        api_key=_shown(settings.chat_api_key),
        max_tokens=MAX_CHAT_TOKENS,
        server=CHAT,
    )


def _chat_of_the_reader(settings: Settings) -> Chat | None:
    if settings.reader is ReaderKind.GGUF:
        return LlamaCppChat(str(settings.reader_model), max_tokens=MAX_CHAT_TOKENS)
    if settings.reader is not ReaderKind.OPENAI:
        return None
    return OpenAIChat(
        base_url=str(settings.reader_url),
        model=str(settings.reader_model),
        api_key=_shown(settings.reader_api_key),
        max_tokens=MAX_CHAT_TOKENS,
    )


def _shown(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def check_dimension(embedder: Embedder, settings: Settings) -> None:
    """Raise `SettingsError` if the embedder makes vectors of another length than the settings say."""
    if embedder.dimension != settings.embedding_dimension:
        raise SettingsError(
            f"The embedder {embedder.name} makes {embedder.dimension} numbers a text, but CREDENCE_EMBEDDING_DIMENSION "
            f"is {settings.embedding_dimension}. Set it to {embedder.dimension}."
        )


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
