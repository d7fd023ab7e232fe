"""Queries written from documents, and questions that were asked, as queries."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

ACTIVE = sa.text("status IN ('queued', 'running')")


def upgrade() -> None:
    op.add_column("queries", sa.Column("origin", sa.String(), server_default="given", nullable=False))
    op.add_column("queries", sa.Column("provenance", JSONB(none_as_null=True), nullable=True))
    op.execute("UPDATE queries SET origin = 'stated' WHERE relation IS NOT NULL")
    op.add_column("corpora", sa.Column("generate_queries", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("corpora", sa.Column("asked_queries", sa.Integer(), server_default=sa.text("200"), nullable=False))
    # Once a policy of its own.
    rounded = {"parameters": sa.text("""jsonb_set(parameters, '{class_policy}', '"rounded"')""")}
    for name in ("schedules", "estimations", "answers"):
        table = sa.table(name, sa.column("parameters", JSONB()))
        was_fuzzy = table.c.parameters["class_policy"].astext == "fuzzy"
        op.execute(sa.update(table).where(was_fuzzy).values(rounded))
    op.create_table(
        "query_generations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("schedule_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("parameters", JSONB(), nullable=False),
        sa.Column("report", JSONB(), nullable=False),
        sa.Column("problem", JSONB(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed')", name=op.f("query_generations_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("query_generations_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("query_generations_pkey")),
    )
    op.create_index(op.f("query_generations_corpus_id_id_idx"), "query_generations", ["corpus_id", "id"])
    op.create_index(
        "query_generations_one_active_key", "query_generations", ["corpus_id"], unique=True, postgresql_where=ACTIVE
    )
    op.create_table(
        "searched_documents",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.Column("exhausted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("searched_documents_document_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("searched_documents_pkey")),
    )


def downgrade() -> None:
    op.drop_table("searched_documents")
    op.drop_table("query_generations")
    op.drop_column("corpora", "asked_queries")
    op.drop_column("corpora", "generate_queries")
    op.drop_column("queries", "provenance")
    op.drop_column("queries", "origin")
