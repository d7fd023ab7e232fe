"""Reports of evaluations are kept, and how often a source contradicts others."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimation_sources", sa.Column("conflict_count", sa.Integer(), nullable=True))
    op.create_table(
        "evaluations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("estimation_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("report", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("evaluations_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("evaluations_pkey")),
    )
    op.create_index(op.f("evaluations_corpus_id_id_idx"), "evaluations", ["corpus_id", "id"])


def downgrade() -> None:
    op.drop_table("evaluations")
    op.drop_column("estimation_sources", "conflict_count")
