"""Rotation, last use, addresses and quotas of API keys; quotas of corpora; sizes of documents and whose they are."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

QUOTAS = ("daily_questions", "max_documents", "max_stored_bytes")


def upgrade() -> None:
    for table in ("api_keys", "corpora"):
        for name in QUOTAS:
            op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=True))
    op.add_column("api_keys", sa.Column("previous_secret_hash", sa.LargeBinary(), nullable=True))
    op.add_column("api_keys", sa.Column("previous_secret_ends_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("api_keys", sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "api_keys", sa.Column("allowed_addresses", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False)
    )
    op.create_unique_constraint(op.f("api_keys_previous_secret_hash_key"), "api_keys", ["previous_secret_hash"])
    op.add_column("key_spending", sa.Column("questions", sa.BigInteger(), server_default=sa.text("0"), nullable=False))
    op.create_table(
        "corpus_questions",
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("questions", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("corpus_questions_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("corpus_id", "day", name=op.f("corpus_questions_pkey")),
    )
    op.add_column("documents", sa.Column("size", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("documents", sa.Column("key_id", sa.Uuid(), nullable=True))
    op.execute("UPDATE documents SET size = octet_length(content)")
    op.create_index(op.f("documents_source_id_size_idx"), "documents", ["source_id", "size"])
    op.create_index(
        op.f("documents_key_id_size_idx"),
        "documents",
        ["key_id", "size"],
        postgresql_where=sa.text("key_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_column("documents", "key_id")
    op.drop_column("documents", "size")
    op.drop_table("corpus_questions")
    op.drop_column("key_spending", "questions")
    for name in ("allowed_addresses", "last_used_at", "previous_secret_ends_at", "previous_secret_hash"):
        op.drop_column("api_keys", name)
    for table in ("corpora", "api_keys"):
        for name in QUOTAS:
            op.drop_column(table, name)
