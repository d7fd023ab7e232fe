"""Estimations are read in pieces by many workers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimations", sa.Column("source_ids", postgresql.ARRAY(sa.Uuid()), nullable=True))
    op.create_table(
        "estimation_pieces",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("estimation_id", sa.Uuid(), nullable=False),
        sa.Column("queries", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["estimation_id"],
            ["estimations.id"],
            name=op.f("estimation_pieces_estimation_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("estimation_pieces_pkey")),
    )
    op.create_index(op.f("estimation_pieces_estimation_id_idx"), "estimation_pieces", ["estimation_id"])


def downgrade() -> None:
    op.drop_table("estimation_pieces")
    op.drop_column("estimations", "source_ids")
