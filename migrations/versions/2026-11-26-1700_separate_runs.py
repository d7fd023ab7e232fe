"""Answers that separate runs turn."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimation_queries", sa.Column("turned", sa.REAL(), nullable=True))


def downgrade() -> None:
    op.drop_column("estimation_queries", "turned")
