"""Which readings look misread, and what people say of them."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("votes", sa.Column("reading_id", sa.Uuid(), nullable=True))
    op.add_column("votes", sa.Column("misread", sa.REAL(), nullable=True))
    op.add_column("estimation_sources", sa.Column("misread_count", sa.Integer(), nullable=True))
    op.add_column("estimation_sources", sa.Column("read_share", sa.Float(), nullable=True))
    op.create_table(
        "misreading_verdicts",
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("reading_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("verdict IN ('confirmed', 'rejected')", name=op.f("misreading_verdicts_verdict_check")),
        sa.ForeignKeyConstraint(
            ["corpus_id"],
            ["corpora.id"],
            name=op.f("misreading_verdicts_corpus_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("misreading_verdicts_source_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("corpus_id", "reading_id", name=op.f("misreading_verdicts_pkey")),
    )
    op.create_index(op.f("misreading_verdicts_source_id_idx"), "misreading_verdicts", ["source_id"])


def downgrade() -> None:
    op.drop_table("misreading_verdicts")
    op.drop_column("estimation_sources", "read_share")
    op.drop_column("estimation_sources", "misread_count")
    op.drop_column("votes", "misread")
    op.drop_column("votes", "reading_id")
