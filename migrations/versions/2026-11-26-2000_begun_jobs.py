"""Jobs are noted while they run, so that one that ends its process is found."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "begun_jobs",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", "subject_id", name=op.f("begun_jobs_pkey")),
    )


def downgrade() -> None:
    op.drop_table("begun_jobs")
