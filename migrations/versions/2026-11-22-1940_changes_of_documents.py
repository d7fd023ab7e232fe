"""Changes of documents since an estimation are counted by an index."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("documents_changes_idx", "documents", ["source_id", "updated_at"])


def downgrade() -> None:
    op.drop_index("documents_changes_idx", "documents")
