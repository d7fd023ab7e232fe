"""Votes that are imported without documents."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

CASCADES = (("corpus_id", "corpora.id"), ("query_id", "queries.id"), ("source_id", "sources.id"))


def upgrade() -> None:
    op.create_table(
        "imported_votes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("voted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("external_id", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("confidence BETWEEN 0 AND 1", name=op.f("imported_votes_confidence_check")),
        *(
            sa.ForeignKeyConstraint([column], [target], name=f"imported_votes_{column}_fkey", ondelete="CASCADE")
            for column, target in CASCADES
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("imported_votes_pkey")),
        sa.UniqueConstraint("query_id", "source_id", name=op.f("imported_votes_query_id_source_id_key")),
    )
    op.create_index("imported_votes_corpus_id_id_idx", "imported_votes", ["corpus_id", "id"])
    op.create_index("imported_votes_source_id_idx", "imported_votes", ["source_id"])
    op.create_index("queries_text_idx", "queries", ["text"], postgresql_using="hash")
    op.drop_index("queries_stated_idx", "queries")
    op.add_column("votes", sa.Column("imported", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("votes", "imported")
    op.create_index(
        "queries_stated_idx",
        "queries",
        ["text"],
        postgresql_using="hash",
        postgresql_where=sa.text("relation IS NOT NULL"),
    )
    op.drop_index("queries_text_idx", "queries")
    op.drop_table("imported_votes")
