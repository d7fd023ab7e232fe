"""A document that is replaced keeps its former revisions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("revision", sa.Integer(), server_default=sa.text("1"), nullable=False))
    op.create_table(
        "document_revisions",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attributes", JSONB(), nullable=False),
        sa.Column("allowed_groups", ARRAY(sa.Text()), nullable=True),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="document_revisions_document_id_fkey", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "revision", name="document_revisions_pkey"),
    )


def downgrade() -> None:
    op.drop_table("document_revisions")
    op.drop_column("documents", "revision")
