"""Corpora say whether estimations use gold answers; schedules that did not choose follow them."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("corpora", sa.Column("use_gold", sa.Boolean(), server_default=sa.true(), nullable=False))
    # Off was the default, and stored with every schedule.
    op.execute("UPDATE schedules SET parameters = parameters - 'use_gold' WHERE parameters -> 'use_gold' = 'false'")


def downgrade() -> None:
    # Code of before takes true or false.
    op.execute("UPDATE schedules SET parameters = parameters - 'use_gold' WHERE parameters -> 'use_gold' = 'null'")
    op.drop_column("corpora", "use_gold")
