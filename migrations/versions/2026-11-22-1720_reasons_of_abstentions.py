"""Why a reader abstained, with every cached reading."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("readings", sa.Column("reason", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("readings", "reason")
