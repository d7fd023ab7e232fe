"""Documents are for groups of people, keys of them; answers keep for whom they are, and of what."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

COLUMNS = (
    ("sources", "allowed_groups", sa.Text()),
    ("documents", "allowed_groups", sa.Text()),
    ("api_keys", "groups", sa.Text()),
    ("answers", "viewer_groups", sa.Text()),
    ("answers", "made_of", sa.Uuid()),
)


def upgrade() -> None:
    for table, name, kind in COLUMNS:
        op.add_column(table, sa.Column(name, ARRAY(kind), nullable=True))
    op.create_index(
        "documents_groups_idx", "documents", ["source_id"], postgresql_where=sa.text("allowed_groups IS NOT NULL")
    )


def downgrade() -> None:
    op.drop_index("documents_groups_idx", "documents")
    for table, name, _ in reversed(COLUMNS):
        op.drop_column(table, name)
