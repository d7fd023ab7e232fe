"""Documents that Nextcloud keeps here, by its identifiers, and the users who may see each, which are its groups."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias
from uuid import UUID

from sqlalchemy import ColumnElement, Text, func, literal, select, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.sources.model import Source

PROVIDER, MODIFIED = "nextcloud_provider", "nextcloud_modified"
"""Attributes: the app and its kind of items, as `files__default`, and the seconds since 1970 of the last change."""
AccessChange: TypeAlias = Literal["allow", "deny", "only"]
# What was said of a document stays, and whoever may see it now may see that, too. Its hash would no longer be that of
# what was sent.
CHANGE_ACCESS = text("""
    UPDATE documents SET content_hash = '', allowed_groups = CASE :change
        WHEN 'deny' THEN ARRAY(SELECT unnest(allowed_groups) EXCEPT SELECT unnest(CAST(:groups AS text[])))
        WHEN 'allow' THEN ARRAY(SELECT unnest(allowed_groups) UNION SELECT unnest(CAST(:groups AS text[])))
        ELSE CAST(:groups AS text[]) END
    WHERE id = ANY (CAST(:ids AS uuid[]))
""")
_PROVIDER = Document.attributes[PROVIDER].as_string()


class Item(NamedTuple):
    """A document of Nextcloud."""

    id: UUID
    source_id: UUID
    source: str
    """External id of the source."""
    external_id: str
    modified: int


@dataclass(frozen=True, slots=True)
class Which:
    """Documents of Nextcloud for which all that is given holds."""

    ids: Collection[str] | None = None
    """Their external ids."""
    provider: str | None = None
    group: str | None = None
    """A group that may see them."""
    unseen: bool = False
    """Whether nobody may see them any more."""

    def conditions(self, corpus: Corpus) -> list[ColumnElement[bool]]:
        """The conditions on rows of `documents`."""
        of_corpus = Document.source_id.in_(select(Source.id).where(Source.corpus_id == corpus.id))
        conditions = [of_corpus, Document.attributes.has_key(PROVIDER)]
        if self.ids is not None:
            conditions.append(Document.external_id == literal(list(self.ids), ARRAY(Text)).any_())
        if self.provider is not None:
            conditions.append(_PROVIDER.in_([self.provider]))
        if self.group is not None:
            conditions.append(Document.allowed_groups.contains([self.group]))
        if self.unseen:
            conditions.append(func.cardinality(Document.allowed_groups) == 0)
        return conditions


async def items(session: AsyncSession, corpus: Corpus, which: Which) -> Sequence[Item]:
    """The documents, in the order of their ids."""
    modified = Document.attributes[MODIFIED].as_integer()
    columns = Document.id, Document.source_id, Source.external_id, Document.external_id, modified
    rows = select(*columns).join(Source, Source.id == Document.source_id).where(*which.conditions(corpus))
    return [Item(*row) for row in await session.execute(rows.order_by(Document.id))]


async def change_access(
    session: AsyncSession, corpus: Corpus, which: Which, change: AccessChange, groups: Collection[str]
) -> None:
    """Let groups see documents, also, no more, or as the only ones."""
    # Locked in one order everywhere, or two changes would wait for each other.
    rows = select(Document.id).where(*which.conditions(corpus)).order_by(Document.id).with_for_update()
    given = {"ids": (await session.scalars(rows)).all(), "groups": list(groups), "change": change}
    await session.execute(CHANGE_ACCESS, given)


async def count(session: AsyncSession, corpus: Corpus) -> dict[str, int]:
    """The number of documents of each provider."""
    rows = select(_PROVIDER.label("provider"), func.count()).where(*Which().conditions(corpus)).group_by("provider")
    return dict(iter(await session.execute(rows)))


async def sources_of(session: AsyncSession, corpus: Corpus, providers: Collection[str]) -> Sequence[str]:
    """The external ids of the sources that have documents of these providers."""
    rows = select(Source.external_id).join(Document, Document.source_id == Source.id)
    rows = rows.where(*Which().conditions(corpus), _PROVIDER.in_(providers)).distinct()
    return (await session.scalars(rows)).all()
