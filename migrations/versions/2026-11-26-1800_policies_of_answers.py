"""Whether one answer, several or a number is right is said of a corpus and of its queries."""

import sqlalchemy as sa
from alembic import op

from migrations.compatibility import declare_oldest_code

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

POLICIES = "answers IN ('one', 'several', 'number')"


def upgrade() -> None:
    op.add_column("corpora", sa.Column("answers", sa.String(), server_default="one", nullable=False))
    op.execute("UPDATE corpora SET answers = 'number' WHERE answers_are_numbers")
    op.drop_column("corpora", "answers_are_numbers")
    op.create_check_constraint(op.f("corpora_answers_check"), "corpora", POLICIES)
    op.add_column("queries", sa.Column("answers", sa.String(), nullable=True))
    op.create_check_constraint(op.f("queries_answers_check"), "queries", POLICIES)
    op.add_column("estimation_queries", sa.Column("several", sa.Boolean(), server_default=sa.false(), nullable=False))
    for name in ("sensitivity", "specificity"):
        op.add_column("estimation_sources", sa.Column(name, sa.Float(), nullable=True))
    declare_oldest_code(op.get_bind(), revision)


def downgrade() -> None:
    for name in ("sensitivity", "specificity"):
        op.drop_column("estimation_sources", name)
    op.drop_column("estimation_queries", "several")
    op.drop_column("queries", "answers")
    op.add_column("corpora", sa.Column("answers_are_numbers", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute("UPDATE corpora SET answers_are_numbers = answers = 'number'")
    op.drop_column("corpora", "answers")
    declare_oldest_code(op.get_bind(), down_revision)
