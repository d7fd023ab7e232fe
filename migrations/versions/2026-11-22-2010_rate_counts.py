"""What keys and addresses did in a minute, counted over all processes."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rate_counts",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject", "minute", name=op.f("rate_counts_pkey")),
    )
    op.create_index(op.f("rate_counts_minute_idx"), "rate_counts", ["minute"])


def downgrade() -> None:
    op.drop_table("rate_counts")
