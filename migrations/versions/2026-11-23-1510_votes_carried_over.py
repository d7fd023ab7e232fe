"""Estimations carry over votes from earlier ones."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimations", sa.Column("source_states", postgresql.ARRAY(sa.BigInteger()), nullable=True))
    op.add_column("estimations", sa.Column("conditions", sa.LargeBinary(), nullable=True))
    op.add_column("estimations", sa.Column("carried_from", sa.Uuid(), nullable=True))
    op.add_column(
        "estimations", sa.Column("readings_carried", sa.Integer(), server_default=sa.text("0"), nullable=False)
    )


def downgrade() -> None:
    for column in ("readings_carried", "carried_from", "conditions", "source_states"):
        op.drop_column("estimations", column)
