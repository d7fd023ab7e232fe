"""The embedder, the reader and the chat model that the settings name."""

from pydantic import SecretStr

from answering.embedders import Embedder, OpenAIEmbedder, WordLlamaEmbedder
from answering.models import Chat, LimitedChat, LlamaCppChat
from answering.models.error_translation import CHAT
from answering.models.openai import ChatModel
from answering.readers import CompactReader, LimitedReader, LlamaCppReader, OpenAIReader, Reader, ScreenedReader
from registry.errors import SettingsError
from registry.settings import EmbedderKind, ReaderKind, Settings

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
        ScreenedReader(reader) if screened else reader,
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
    return ChatModel(
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
    return ChatModel(
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
