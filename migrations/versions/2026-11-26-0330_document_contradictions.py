"""Contradictions that are found when documents come in."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "document_contradictions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("quote", sa.String(), nullable=False),
        sa.Column("other_document_id", sa.Uuid(), nullable=False),
        sa.Column("other_source_id", sa.Uuid(), nullable=False),
        sa.Column("other_answer", sa.String(), nullable=False),
        sa.Column("other_quote", sa.String(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name="document_contradictions_corpus_id_fkey", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="document_contradictions_document_id_fkey", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["other_document_id"],
            ["documents.id"],
            name="document_contradictions_other_document_id_fkey",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="document_contradictions_pkey"),
    )
    op.create_index("document_contradictions_corpus_id_id_idx", "document_contradictions", ["corpus_id", "id"])
    op.create_index("document_contradictions_document_id_idx", "document_contradictions", ["document_id"])
    op.create_index("document_contradictions_other_document_id_idx", "document_contradictions", ["other_document_id"])


def downgrade() -> None:
    op.drop_table("document_contradictions")
