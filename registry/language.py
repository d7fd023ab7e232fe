"""The embedder and the reader that the settings name."""

from answering.embedders import Embedder, OpenAIEmbedder, WordLlamaEmbedder
from answering.readers import CompactReader, LimitedReader, LlamaCppReader, OpenAIReader, Reader
from registry.errors import SettingsError
from registry.settings import EmbedderKind, ReaderKind, Settings


def build_embedder(settings: Settings) -> Embedder:
    """The embedder of `CREDENCE_EMBEDDER`."""
    if settings.embedder is EmbedderKind.WORDLLAMA:
        return WordLlamaEmbedder()
    return OpenAIEmbedder(
        base_url=str(settings.embedding_url),
        model=str(settings.embedding_model),
        dimension=settings.embedding_dimension,
        api_key=settings.embedding_api_key.get_secret_value() if settings.embedding_api_key else None,
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
            api_key=settings.reader_api_key.get_secret_value() if settings.reader_api_key else None,
        )
    return LimitedReader(
        reader,
        concurrency=settings.reader_concurrency,
        timeout=settings.reader_timeout_seconds,
        attempts=settings.reader_attempts,
    )


def check_dimension(embedder: Embedder, settings: Settings) -> None:
    """Raise `SettingsError` if the embedder makes vectors of another length than the settings say."""
    if embedder.dimension != settings.embedding_dimension:
        raise SettingsError(
            f"The embedder {embedder.name} makes {embedder.dimension} numbers a text, but CREDENCE_EMBEDDING_DIMENSION "
            f"is {settings.embedding_dimension}. Set it to {embedder.dimension}."
        )
