"""Corpora, sources, documents, queries, readings, estimations, answers and what operates them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "corpora",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("text_search", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("corpora_pkey")),
        sa.UniqueConstraint("name", name=op.f("corpora_name_key")),
    )
    op.create_table(
        "embedding_space",
        sa.Column("single", sa.Boolean(), nullable=False),
        sa.Column("embedder", sa.String(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("single", name=op.f("embedding_space_single_check")),
        sa.PrimaryKeyConstraint("single", name=op.f("embedding_space_pkey")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("events_pkey")),
    )
    op.create_index(op.f("events_subject_id_id_idx"), "events", ["subject_id", "id"], unique=False)
    op.create_table(
        "idempotent_requests",
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("response", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("idempotent_requests_pkey")),
    )
    op.create_table(
        "readings",
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("prompt_hash", sa.LargeBinary(), nullable=False),
        sa.Column("passages_hash", sa.LargeBinary(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("raw", sa.String(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("model_calls", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("milliseconds", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("reader", "prompt_hash", "passages_hash", name=op.f("readings_pkey")),
    )
    op.create_table(
        "answers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("estimation_id", sa.Uuid(), nullable=True),
        sa.Column("result", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("problem", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name=op.f("answers_status_check")
        ),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.id"], name=op.f("answers_corpus_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answers_pkey")),
    )
    op.create_index(op.f("answers_corpus_id_id_idx"), "answers", ["corpus_id", "id"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("api_keys_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("api_keys_pkey")),
        sa.UniqueConstraint("secret_hash", name=op.f("api_keys_secret_hash_key")),
    )
    op.create_index(op.f("api_keys_corpus_id_id_idx"), "api_keys", ["corpus_id", "id"], unique=False)
    op.create_table(
        "estimations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("schedule_id", sa.Uuid(), nullable=True),
        sa.Column("trigger", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("parameters", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("reader", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("queries_total", sa.Integer(), nullable=False),
        sa.Column("queries_collected", sa.Integer(), nullable=False),
        sa.Column("sources_total", sa.Integer(), nullable=False),
        sa.Column("readings_made", sa.Integer(), nullable=False),
        sa.Column("readings_cached", sa.Integer(), nullable=False),
        sa.Column("readings_failed", sa.Integer(), nullable=False),
        sa.Column("votes_total", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(), nullable=True),
        sa.Column("labels", sa.Integer(), nullable=True),
        sa.Column("rounds", sa.Integer(), nullable=True),
        sa.Column("converged", sa.Boolean(), nullable=True),
        sa.Column("stop_reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name=op.f("estimations_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("estimations_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("estimations_pkey")),
    )
    op.create_index(op.f("estimations_corpus_id_id_idx"), "estimations", ["corpus_id", "id"], unique=False)
    op.create_index(
        "estimations_one_active_key",
        "estimations",
        ["corpus_id"],
        unique=True,
        postgresql_where=sa.text("status IN ('queued', 'running')"),
    )
    op.create_table(
        "queries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("gold_answers", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("attributes", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.id"], name=op.f("queries_corpus_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("queries_pkey")),
        sa.UniqueConstraint("corpus_id", "external_id", name=op.f("queries_corpus_id_external_id_key")),
    )
    op.create_index(op.f("queries_corpus_id_id_idx"), "queries", ["corpus_id", "id"], unique=False)
    op.create_table(
        "schedules",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("cron", sa.String(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("parameters", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name=op.f("schedules_corpus_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("schedules_pkey")),
        sa.UniqueConstraint("corpus_id", "name", name=op.f("schedules_corpus_id_name_key")),
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("attributes", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("status IN ('active', 'paused', 'retired')", name=op.f("sources_status_check")),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.id"], name=op.f("sources_corpus_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("sources_pkey")),
        sa.UniqueConstraint("corpus_id", "external_id", name=op.f("sources_corpus_id_external_id_key")),
    )
    op.create_index(op.f("sources_corpus_id_id_idx"), "sources", ["corpus_id", "id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attributes", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("documents_source_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("documents_pkey")),
        sa.UniqueConstraint("source_id", "external_id", name=op.f("documents_source_id_external_id_key")),
    )
    op.create_index(op.f("documents_source_id_id_idx"), "documents", ["source_id", "id"], unique=False)
    op.create_table(
        "estimation_queries",
        sa.Column("estimation_id", sa.Uuid(), nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("query_text", sa.String(), nullable=False),
        sa.Column("collected_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("margin", sa.Double(), nullable=True),
        sa.Column("tied", sa.Boolean(), nullable=True),
        sa.Column("vote_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["estimation_id"],
            ["estimations.id"],
            name=op.f("estimation_queries_estimation_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("estimation_id", "query_id", name=op.f("estimation_queries_pkey")),
    )
    op.create_table(
        "estimation_sources",
        sa.Column("estimation_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("source_name", sa.String(), nullable=False),
        sa.Column("reliability", sa.Double(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("vote_count", sa.Integer(), nullable=False),
        sa.Column("abstention_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["estimation_id"],
            ["estimations.id"],
            name=op.f("estimation_sources_estimation_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("estimation_id", "source_id", name=op.f("estimation_sources_pkey")),
    )
    op.create_index(
        op.f("estimation_sources_source_id_estimation_id_idx"),
        "estimation_sources",
        ["source_id", "estimation_id"],
        unique=False,
    )
    op.create_table(
        "overrides",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("reliability", sa.Double(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("reliability BETWEEN 0 AND 1", name=op.f("overrides_reliability_check")),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("overrides_source_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("overrides_pkey")),
    )
    op.create_table(
        "schedule_ticks",
        sa.Column("schedule_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("estimation_id", sa.Uuid(), nullable=True),
        sa.Column("skipped_because", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["schedule_id"], ["schedules.id"], name=op.f("schedule_ticks_schedule_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("schedule_id", "due_at", name=op.f("schedule_ticks_pkey")),
    )
    op.create_table(
        "votes",
        sa.Column("estimation_id", sa.Uuid(), nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("answer_key", sa.String(), nullable=True),
        sa.Column("alignment", sa.Double(), nullable=True),
        sa.Column("document_ids", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["estimation_id"], ["estimations.id"], name=op.f("votes_estimation_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("estimation_id", "query_id", "source_id", name=op.f("votes_pkey")),
    )

    op.execute(
        "INSERT INTO corpora (id, name, description, text_search) "
        "VALUES (gen_random_uuid(), 'default', 'The corpus that exists from the start.', 'english')"
    )


def downgrade() -> None:
    op.drop_table("votes")
    op.drop_table("schedule_ticks")
    op.drop_table("overrides")
    op.drop_index(op.f("estimation_sources_source_id_estimation_id_idx"), table_name="estimation_sources")
    op.drop_table("estimation_sources")
    op.drop_table("estimation_queries")
    op.drop_index(op.f("documents_source_id_id_idx"), table_name="documents")
    op.drop_table("documents")
    op.drop_index(op.f("sources_corpus_id_id_idx"), table_name="sources")
    op.drop_table("sources")
    op.drop_table("schedules")
    op.drop_index(op.f("queries_corpus_id_id_idx"), table_name="queries")
    op.drop_table("queries")
    op.drop_index(
        "estimations_one_active_key",
        table_name="estimations",
        postgresql_where=sa.text("status IN ('queued', 'running')"),
    )
    op.drop_index(op.f("estimations_corpus_id_id_idx"), table_name="estimations")
    op.drop_table("estimations")
    op.drop_index(op.f("api_keys_corpus_id_id_idx"), table_name="api_keys")
    op.drop_table("api_keys")
    op.drop_index(op.f("answers_corpus_id_id_idx"), table_name="answers")
    op.drop_table("answers")
    op.drop_table("readings")
    op.drop_table("idempotent_requests")
    op.drop_index(op.f("events_subject_id_id_idx"), table_name="events")
    op.drop_table("events")
    op.drop_table("embedding_space")
    op.drop_table("corpora")
