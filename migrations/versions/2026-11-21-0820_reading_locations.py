"""Where in the passages an answer was copied from, of readers that copy."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COLUMNS = ("passage", "start_offset", "end_offset")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("readings", sa.Column(name, sa.Integer(), nullable=True))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("readings", name)
