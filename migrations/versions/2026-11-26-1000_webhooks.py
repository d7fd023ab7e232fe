"""Webhooks of corpora, and what is delivered to them."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def _time(name: str, *, default: bool = False) -> sa.Column[datetime]:
    value = sa.text("now()") if default else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=value, nullable=not default)


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("events", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("disabled_because", sa.String(), nullable=True),
        _time("failing_since"),
        _time("created_at", default=True),
        _time("updated_at", default=True),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.id"], name="webhooks_corpus_id_fkey", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="webhooks_pkey"),
    )
    op.create_index("webhooks_corpus_id_id_idx", "webhooks", ["corpus_id", "id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("data", JSONB(), nullable=False),
        _time("created_at", default=True),
        sa.Column("status", sa.String(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        _time("next_attempt_at"),
        sa.Column("problem", sa.String(), nullable=True),
        _time("finished_at"),
        sa.CheckConstraint(
            "status IN ('pending', 'succeeded', 'failed')", name=op.f("webhook_deliveries_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name="webhook_deliveries_webhook_id_fkey", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="webhook_deliveries_pkey"),
    )
    op.create_index("webhook_deliveries_webhook_id_id_idx", "webhook_deliveries", ["webhook_id", "id"])
    pending = sa.text("status = 'pending'")
    op.create_index("webhook_deliveries_pending_idx", "webhook_deliveries", ["id"], postgresql_where=pending)


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
