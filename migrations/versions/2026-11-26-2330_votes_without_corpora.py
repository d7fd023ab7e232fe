"""Imported votes are of a corpus by their queries, whose key to it is enough: one check less a vote."""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

NAME = "imported_votes_corpus_id_fkey"


def upgrade() -> None:
    op.drop_constraint(NAME, "imported_votes", type_="foreignkey")


def downgrade() -> None:
    op.create_foreign_key(NAME, "imported_votes", "corpora", ["corpus_id"], ["id"], ondelete="CASCADE")
