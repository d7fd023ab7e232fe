"""The embedder, the reader, the judges and the chat model that the settings name."""

from dataclasses import dataclass

from pydantic import SecretStr

from answering.chats import Chat, LimitedChat
from answering.embedders import Embedder, OpenAIEmbedder, WordLlamaEmbedder
from answering.gate import CHAT, READER, Server
from answering.judges import Judge, OpenAIJudge
from answering.judges.compact import CompactJudge
from answering.readers import CompactReader, LimitedReader, LlamaCppReader, OpenAIReader, Reader
from answering.readers.chat import ChatModel
from registry.errors import SettingsError
from registry.settings import EmbedderKind, JudgeKind, ReaderKind, Settings

# A rewritten response, or a turn of a debate, is no book.
MAX_CHAT_TOKENS = 2048
NO_CHAT = (
    "No language model is configured. Set CREDENCE_CHAT_URL and CREDENCE_CHAT_MODEL, or read with one "
    "(CREDENCE_READER=openai)."
)


@dataclass(frozen=True, slots=True)
class ChatServer:
    """Where the language model is that judges, debates and rewrites."""

    url: str
    model: str
    api_key: str | None
    named_by: Server


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
    return LimitedReader(
        reader,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=settings.reader_attempts,
    )


def build_judge(settings: Settings, kind: JudgeKind) -> Judge:
    """A judge of this kind. Raises `SettingsError` where no language model is configured."""
    if kind is JudgeKind.COMPACT:
        return CompactJudge()
    found = chat_server(settings)
    if found is None:
        raise SettingsError(NO_CHAT)
    return OpenAIJudge(
        base_url=found.url,
        model=found.model,
        api_key=found.api_key,
        server=found.named_by,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=settings.reader_attempts,
    )


def build_chat(settings: Settings) -> Chat | None:
    """The language model, bounded and retried as a reader is; None where there is none."""
    found = chat_server(settings)
    if found is None:
        return None
    chat = ChatModel(
        base_url=found.url,
        model=found.model,
        api_key=found.api_key,
        max_tokens=MAX_CHAT_TOKENS,
        server=found.named_by,
    )
    return LimitedChat(
        chat,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=settings.reader_attempts,
    )


def chat_server(settings: Settings) -> ChatServer | None:
    """The server of `CREDENCE_CHAT_URL`, else that of an `openai` reader, else None."""
    if settings.chat_url and settings.chat_model:
        return ChatServer(str(settings.chat_url), settings.chat_model, _shown(settings.chat_api_key), CHAT)
    if settings.reader is ReaderKind.OPENAI:
        key = _shown(settings.reader_api_key)
        return ChatServer(str(settings.reader_url), str(settings.reader_model), key, READER)
    return None


def _shown(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def check_dimension(embedder: Embedder, settings: Settings) -> None:
    """Raise `SettingsError` if the embedder makes vectors of another length than the settings say."""
    if embedder.dimension != settings.embedding_dimension:
        raise SettingsError(
            f"The embedder {embedder.name} makes {embedder.dimension} numbers a text, but CREDENCE_EMBEDDING_DIMENSION "
            f"is {settings.embedding_dimension}. Set it to {embedder.dimension}."
        )
