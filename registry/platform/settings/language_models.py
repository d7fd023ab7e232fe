"""Embedder, reader and language model."""

from typing import Self

from pydantic import BaseModel, Field, HttpUrl, SecretStr, model_validator

from answering.embedders import EMBEDDERS, EmbedderKind
from answering.models import CHATS
from answering.providers import provider_named, summaries
from answering.readers import READERS, ReaderKind


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


class LanguageModelSettings(BaseModel):
    """The embedder, the reader and the chat model."""

    embedder: EmbedderKind = Field(
        default=EmbedderKind.WORDLLAMA, description=f"Embedder of passages. {summaries(EMBEDDERS)}."
    )
    embedding_url: HttpUrl | None = Field(default=None, description="Base URL of the embeddings API, ending in `/v1`.")
    embedding_model: str | None = Field(default=None, description="Name of the embedding model at that URL.")
    embedding_api_key: SecretStr | None = Field(default=None, description="Key for the embeddings API.")
    embedding_dimension: int = Field(
        default=256, ge=1, le=4000, description="Dimension of the embeddings; must match the database."
    )

    reader: ReaderKind = Field(default=ReaderKind.COMPACT, description=f"Reader of passages. {summaries(READERS)}.")
    reader_url: HttpUrl | None = Field(default=None, description="Base URL of the chat API, ending in `/v1`.")
    reader_model: str | None = Field(
        default=None, description="Name of the model at that URL, or path of the GGUF file."
    )
    reader_api_key: SecretStr | None = Field(default=None, description="Key for the chat API.")
    reader_screened: bool = Field(
        default=False,
        description="Ask the language model only if the compact reader finds a possible answer. English only.",
    )
    reader_concurrency: int = Field(default=4, ge=1, le=256, description="Readings that a process makes at once.")
    reader_timeout_seconds: float = Field(default=60.0, gt=0, description="Time limit of one attempt at a reading.")
    reader_attempts: int = Field(
        default=3, ge=1, le=10, description="Attempts at a reading whose failure may be temporary."
    )

    chat_url: HttpUrl | None = Field(
        default=None,
        description="Base URL of the chat API that judges, debates and rewrites, ending in `/v1`.",
    )
    chat_model: str | None = Field(
        default=None,
        description=f"{_sentence(', or '.join(provider.summary for provider in CHATS))}. Unset: the model of the"
        f" reader, if that is {' or '.join(f'`{provider.name}`' for provider in READERS if provider.make_chat)}.",
    )
    chat_api_key: SecretStr | None = Field(
        default=None, description="Key for the chat API that judges, debates and rewrites."
    )

    @model_validator(mode="after")
    def _has_models(self) -> Self:
        if unmet := provider_named(EMBEDDERS, self.embedder).unmet(self):
            raise ValueError(f"CREDENCE_EMBEDDER={self.embedder} needs {unmet}")
        if unmet := provider_named(READERS, self.reader).unmet(self):
            raise ValueError(f"CREDENCE_READER={self.reader} needs {unmet}")
        if self.chat_url is not None and self.chat_model is None:
            raise ValueError("CREDENCE_CHAT_URL needs CREDENCE_CHAT_MODEL, the name of the model there")
        return self
