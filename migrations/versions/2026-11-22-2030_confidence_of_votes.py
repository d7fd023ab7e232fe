"""The reader's confidence in every vote."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("votes", sa.Column("confidence", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("votes", "confidence")
