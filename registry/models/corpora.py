"""Corpora."""

from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Identifier, Updated


class Corpus(Updated, Base):
    """A namespace of sources that answer the same kind of question."""

    __tablename__ = "corpora"

    id: Mapped[Identifier]
    name: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    text_search: Mapped[str] = mapped_column(default="english")
