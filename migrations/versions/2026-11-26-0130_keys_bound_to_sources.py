"""API keys may be bound to sources; the latest time is kept; files that end their process are set aside."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("sources", ARRAY(sa.Text()), nullable=True))
    op.add_column("api_keys", sa.Column("source_prefix", sa.String(), nullable=True))
    op.add_column("connectors", sa.Column("interrupted", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("connectors", sa.Column("reading", sa.String(), nullable=True))
    op.add_column(
        "connector_locations", sa.Column("set_aside", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_table(
        "latest_time",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("latest_time_one_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("latest_time_pkey")),
    )


def downgrade() -> None:
    op.drop_table("latest_time")
    op.drop_column("connector_locations", "set_aside")
    op.drop_column("connectors", "reading")
    op.drop_column("connectors", "interrupted")
    op.drop_column("api_keys", "source_prefix")
    op.drop_column("api_keys", "sources")
