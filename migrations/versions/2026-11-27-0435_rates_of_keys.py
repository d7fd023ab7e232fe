"""Most requests a minute of an API key."""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("requests_per_minute", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("api_keys", "requests_per_minute")
