"""The history of the gold answers of queries."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gold_entries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("answers_before", JSONB(none_as_null=True), nullable=True),
        sa.Column("answers_after", JSONB(none_as_null=True), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("gold_entries_query_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("gold_entries_pkey")),
    )
    op.create_index(op.f("gold_entries_query_id_id_idx"), "gold_entries", ["query_id", "id"])


def downgrade() -> None:
    op.drop_table("gold_entries")
