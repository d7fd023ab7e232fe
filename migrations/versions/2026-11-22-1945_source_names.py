"""An index of the names of sources, by which requests find them."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("sources_corpus_id_name_idx"), "sources", ["corpus_id", "name"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("sources_corpus_id_name_idx"), table_name="sources")
