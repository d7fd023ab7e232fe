"""Estimates have a standard deviation of errors that sources share; runs say why their votes cannot tell."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimation_sources", sa.Column("systematic", sa.Float(), nullable=True))
    op.add_column("estimations", sa.Column("doubt", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("estimations", "doubt")
    op.drop_column("estimation_sources", "systematic")
