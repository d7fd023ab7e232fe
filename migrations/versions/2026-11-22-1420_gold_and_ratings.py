"""Estimations know which gold answers they were fitted on; sources have ratings of outside lists."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

RATING = ("rating", "rating_strength")


def upgrade() -> None:
    op.create_table(
        "ratings",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("strength", sa.Double(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("rating BETWEEN 0 AND 1", name=op.f("ratings_rating_check")),
        sa.CheckConstraint("strength > 0", name=op.f("ratings_strength_check")),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("ratings_source_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source_id", name=op.f("ratings_pkey")),
    )
    for name in RATING:
        op.add_column("estimation_sources", sa.Column(name, sa.Double(), nullable=True))
    unused = sa.text("false")
    op.add_column("estimation_queries", sa.Column("gold_used", sa.Boolean(), server_default=unused, nullable=False))
    zero = sa.text("0")
    op.add_column("estimations", sa.Column("gold_queries", sa.Integer(), server_default=zero, nullable=False))


def downgrade() -> None:
    op.drop_column("estimations", "gold_queries")
    op.drop_column("estimation_queries", "gold_used")
    for name in reversed(RATING):
        op.drop_column("estimation_sources", name)
    op.drop_table("ratings")
