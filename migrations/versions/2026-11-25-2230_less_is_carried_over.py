"""Votes are carried over from a run on the same documents or not at all; workers prepare no pieces of imports."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.compatibility import declare_oldest_code

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("estimations", sa.Column("corpus_state", sa.LargeBinary(), nullable=True))
    op.drop_column("estimations", "source_states")
    op.drop_column("estimations", "earlier_states")
    op.drop_column("votes", "least_similarity")
    op.drop_column("votes", "least_rank")
    op.drop_column("embedding_space", "index_probes")
    op.drop_table("import_pieces")
    declare_oldest_code(op.get_bind(), revision)


def downgrade() -> None:
    op.create_table(
        "import_pieces",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("settings", postgresql.JSONB(), nullable=False),
        sa.Column("documents", postgresql.JSONB(), nullable=False),
        sa.Column("texts", postgresql.JSONB(), nullable=True),
        sa.Column("embeddings", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("import_pieces_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("import_pieces_pkey")),
        prefixes=["UNLOGGED"],
    )
    op.create_index(op.f("import_pieces_corpus_id_idx"), "import_pieces", ["corpus_id"])
    op.add_column("embedding_space", sa.Column("index_probes", sa.Integer(), nullable=True))
    op.add_column("votes", sa.Column("least_rank", sa.REAL(), nullable=True))
    op.add_column("votes", sa.Column("least_similarity", sa.Float(), nullable=True))
    op.add_column("estimations", sa.Column("earlier_states", postgresql.ARRAY(sa.BigInteger()), nullable=True))
    op.add_column("estimations", sa.Column("source_states", postgresql.ARRAY(sa.BigInteger()), nullable=True))
    op.drop_column("estimations", "corpus_state")
    declare_oldest_code(op.get_bind(), down_revision)
