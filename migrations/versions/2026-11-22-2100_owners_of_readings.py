"""The corpus and the source that a reading was first made for, with which it is deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("readings", sa.Column("corpus_id", sa.Uuid(), nullable=True))
    op.add_column("readings", sa.Column("source_id", sa.Uuid(), nullable=True))
    op.create_index(op.f("readings_corpus_id_source_id_idx"), "readings", ["corpus_id", "source_id"])


def downgrade() -> None:
    op.drop_index(op.f("readings_corpus_id_source_id_idx"), "readings")
    op.drop_column("readings", "source_id")
    op.drop_column("readings", "corpus_id")
