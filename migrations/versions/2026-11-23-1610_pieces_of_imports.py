"""Documents of imports are prepared in pieces by many workers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
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
    # They are read once: compressing them takes longer than what it saves.
    for column in ("documents", "texts", "embeddings"):
        op.execute(f"ALTER TABLE import_pieces ALTER {column} SET STORAGE EXTERNAL")
    op.create_index(op.f("import_pieces_corpus_id_idx"), "import_pieces", ["corpus_id"])


def downgrade() -> None:
    op.drop_table("import_pieces")
