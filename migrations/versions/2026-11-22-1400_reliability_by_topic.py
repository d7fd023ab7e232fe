"""Queries may have a topic; runs have topics, with places among embeddings, and reliabilities of sources on them."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLES = ("estimations", "estimation_sources")


def upgrade() -> None:
    op.add_column("queries", sa.Column("topic", sa.String(), nullable=True))
    for table in TABLES:
        empty = sa.text("'[]'::jsonb")
        op.add_column(table, sa.Column("topics", postgresql.JSONB(), server_default=empty, nullable=False))
    op.add_column("estimation_queries", sa.Column("topic", sa.Integer(), nullable=True))
    op.create_table(
        "estimation_centroids",
        sa.Column("estimation_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("query_count", sa.Integer(), nullable=False),
        sa.Column("shares", postgresql.JSONB(), nullable=False),
        sa.Column("embedding", HALFVEC(), nullable=False),
        sa.ForeignKeyConstraint(
            ["estimation_id"],
            ["estimations.id"],
            name=op.f("estimation_centroids_estimation_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("estimation_id", "number", name=op.f("estimation_centroids_pkey")),
    )


def downgrade() -> None:
    op.drop_table("estimation_centroids")
    op.drop_column("estimation_queries", "topic")
    for table in reversed(TABLES):
        op.drop_column(table, "topics")
    op.drop_column("queries", "topic")
