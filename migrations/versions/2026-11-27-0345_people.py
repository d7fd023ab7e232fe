"""People who sign in with a provider of identities; their rights are those of API keys."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=True),
        sa.CheckConstraint("subject IS NOT NULL OR email IS NOT NULL", name=op.f("people_known_check")),
        sa.ForeignKeyConstraint(["id"], ["api_keys.id"], name=op.f("people_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("people_pkey")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("people_issuer_subject_key")),
    )
    op.create_index(
        "people_expected_idx", "people", ["email"], unique=True, postgresql_where=sa.text("subject IS NULL")
    )


def downgrade() -> None:
    op.execute("DELETE FROM api_keys USING people WHERE people.id = api_keys.id")
    op.drop_table("people")
