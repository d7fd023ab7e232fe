"""Votes keep how near a new passage must be to be read, so that sources that grew are read only where it is."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimations", sa.Column("earlier_states", postgresql.ARRAY(sa.BigInteger()), nullable=True))
    op.add_column("votes", sa.Column("least_similarity", sa.Float(), nullable=True))
    op.add_column("votes", sa.Column("least_rank", sa.REAL(), nullable=True))


def downgrade() -> None:
    op.drop_column("votes", "least_rank")
    op.drop_column("votes", "least_similarity")
    op.drop_column("estimations", "earlier_states")
