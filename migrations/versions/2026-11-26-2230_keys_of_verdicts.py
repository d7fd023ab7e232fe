"""Which API key set a right answer or joined wordings, so that it may undo that."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

TABLES = ("gold_entries", "joined_answers")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("key_id", sa.Uuid(), nullable=True))


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "key_id")
