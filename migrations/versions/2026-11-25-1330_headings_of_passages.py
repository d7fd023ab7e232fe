"""Passages keep the headings above them; words of titles and headings are found in documents stored from now on."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("passages", sa.Column("heading", sa.String(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("passages", "heading")
