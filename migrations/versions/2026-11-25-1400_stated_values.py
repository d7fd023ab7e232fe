"""Documents state values, which are votes without a reader."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stated_values",
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("subject_key", sa.String(), nullable=False),
        sa.Column("relation", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("stated_values_document_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "source_id", "ordinal", name=op.f("stated_values_pkey")),
    )
    about = ["corpus_id", "subject_key", "relation", "source_id"]
    op.create_index("stated_values_about_idx", "stated_values", about)
    op.add_column("queries", sa.Column("subject_key", sa.String(), nullable=True))
    op.add_column("queries", sa.Column("relation", sa.String(), nullable=True))
    op.create_index(
        "queries_stated_idx",
        "queries",
        ["text"],
        postgresql_using="hash",
        postgresql_where=sa.text("relation IS NOT NULL"),
    )
    op.add_column("votes", sa.Column("stated", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("votes", "stated")
    op.drop_index("queries_stated_idx", table_name="queries")
    op.drop_column("queries", "relation")
    op.drop_column("queries", "subject_key")
    op.drop_table("stated_values")
