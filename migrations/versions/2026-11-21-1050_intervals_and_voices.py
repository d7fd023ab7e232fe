"""Estimations know why they chose their method, how sure they are, and which sources are one voice; passages have
signatures by which near-duplicates are found."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SHARES = ("prior", "prior_lower", "prior_upper")


def upgrade() -> None:
    op.add_column("estimations", sa.Column("reason", sa.String(), nullable=True))
    for name in SHARES:
        op.add_column("estimations", sa.Column(name, sa.Float(), nullable=True))
    nobody = sa.text("'[]'::jsonb")
    op.add_column("estimations", sa.Column("voices", postgresql.JSONB(), server_default=nobody, nullable=False))
    op.add_column("estimations", sa.Column("state", postgresql.JSONB(), nullable=True))
    for name in ("lower", "upper"):
        op.add_column("estimation_sources", sa.Column(name, sa.Float(), nullable=True))
    op.add_column("estimation_sources", sa.Column("voice", sa.Integer(), nullable=True))
    op.add_column("passages", sa.Column("signature", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("passages", "signature")
    for name in ("voice", "upper", "lower"):
        op.drop_column("estimation_sources", name)
    for name in ("state", "voices", *reversed(SHARES), "reason"):
        op.drop_column("estimations", name)
