"""Votes know when their answers were published; the estimate of a source that turned has its periods."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("votes", sa.Column("published_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("estimation_sources", sa.Column("turned_at", sa.DateTime(timezone=True), nullable=True))
    empty = sa.text("'[]'::jsonb")
    op.add_column("estimation_sources", sa.Column("periods", postgresql.JSONB(), server_default=empty, nullable=False))


def downgrade() -> None:
    for name in ("periods", "turned_at"):
        op.drop_column("estimation_sources", name)
    op.drop_column("votes", "published_at")
