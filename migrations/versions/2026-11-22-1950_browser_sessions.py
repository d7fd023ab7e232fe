"""Sessions of browsers that signed in with an API key."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "browser_sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["key_id"], ["api_keys.id"], name=op.f("browser_sessions_key_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("browser_sessions_pkey")),
    )
    op.create_index(op.f("browser_sessions_key_id_idx"), "browser_sessions", ["key_id"])
    op.create_index(op.f("browser_sessions_expires_at_idx"), "browser_sessions", ["expires_at"])


def downgrade() -> None:
    op.drop_table("browser_sessions")
