"""The schema names the oldest code that runs on it."""

import sqlalchemy as sa
from alembic import op

from migrations.compatibility import TABLE, declare_oldest_code

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(TABLE, sa.Column("oldest_code", sa.String(), nullable=False))
    op.execute(f"INSERT INTO {TABLE} VALUES ('')")  # noqa: S608
    declare_oldest_code(op.get_bind(), revision)


def downgrade() -> None:
    op.drop_table(TABLE)
