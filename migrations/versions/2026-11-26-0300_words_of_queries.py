"""An index of the words of queries, so that a question finds those that resemble it."""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE INDEX queries_words_idx ON queries USING gin (to_tsvector('simple', text))")


def downgrade() -> None:
    op.drop_index("queries_words_idx", table_name="queries")
