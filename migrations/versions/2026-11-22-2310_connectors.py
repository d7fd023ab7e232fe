"""Connectors, what they have seen, and the documents that came of it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "connectors",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("config", JSONB(), nullable=False),
        sa.Column("schedule_id", sa.Uuid(), nullable=True),
        sa.Column("key_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("run", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("report", JSONB(), nullable=True),
        sa.Column("problem", JSONB(), nullable=True),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("created_at", TIME, server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", TIME, server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed')", name=op.f("connectors_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("connectors_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["schedule_id"], ["schedules.id"], name=op.f("connectors_schedule_id_fkey"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("connectors_pkey")),
        sa.UniqueConstraint("corpus_id", "name", name=op.f("connectors_corpus_id_name_key")),
    )
    op.create_index(op.f("connectors_corpus_id_id_idx"), "connectors", ["corpus_id", "id"])
    op.create_table(
        "connector_locations",
        sa.Column("connector_id", sa.Uuid(), nullable=False),
        sa.Column("location", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=True),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("last_modified", sa.String(), nullable=True),
        sa.Column("content_hash", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["connector_id"], ["connectors.id"], name=op.f("connector_locations_connector_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("connector_id", "location", name=op.f("connector_locations_pkey")),
    )
    op.create_table(
        "connector_documents",
        sa.Column("connector_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("location", sa.String(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["connector_id"], ["connectors.id"], name=op.f("connector_documents_connector_id_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("connector_documents_document_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("connector_id", "document_id", name=op.f("connector_documents_pkey")),
    )
    op.create_index(
        op.f("connector_documents_connector_id_location_idx"), "connector_documents", ["connector_id", "location"]
    )
    op.create_index(op.f("connector_documents_document_id_idx"), "connector_documents", ["document_id"])


def downgrade() -> None:
    op.drop_table("connector_documents")
    op.drop_table("connector_locations")
    op.drop_table("connectors")
