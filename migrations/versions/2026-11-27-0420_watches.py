"""Feeds of the sources that turn or fall."""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("source_id", sa.Uuid(), nullable=True),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=True),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.id"], name=op.f("watches_corpus_id_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("watches_source_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("watches_pkey")),
        sa.UniqueConstraint("token_hash", name=op.f("watches_token_hash_key")),
    )
    op.create_index(op.f("watches_corpus_id_id_idx"), "watches", ["corpus_id", "id"])
    op.create_index(op.f("watches_source_id_idx"), "watches", ["source_id"])


def downgrade() -> None:
    op.drop_table("watches")
