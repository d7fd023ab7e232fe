"""What API keys may spend on language models a day, and have spent; which key pays for an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

LIMITS = ("daily_model_calls", "daily_tokens")


def upgrade() -> None:
    for name in LIMITS:
        op.add_column("api_keys", sa.Column(name, sa.BigInteger(), nullable=True))
    op.add_column("answers", sa.Column("key_id", sa.Uuid(), nullable=True))
    op.create_table(
        "key_spending",
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model_calls", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name=op.f("key_spending_key_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "day", name=op.f("key_spending_pkey")),
    )


def downgrade() -> None:
    op.drop_table("key_spending")
    op.drop_column("answers", "key_id")
    for name in reversed(LIMITS):
        op.drop_column("api_keys", name)
