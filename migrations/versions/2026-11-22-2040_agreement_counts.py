"""How often a source voted for the answers of a run."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimation_sources", sa.Column("agreement_count", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("estimation_sources", "agreement_count")
