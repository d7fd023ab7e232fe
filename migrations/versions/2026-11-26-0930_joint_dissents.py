"""Runs keep which sources dissent together, and on which queries."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimations", sa.Column("joint_dissents", JSONB(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("estimations", "joint_dissents")
