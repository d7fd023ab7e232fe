"""How many lists of the approximate index a search reads is measured."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("embedding_space", sa.Column("index_probes", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("embedding_space", "index_probes")
