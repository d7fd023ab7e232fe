"""A run keeps how many answers to each query its sources state."""

import sqlalchemy as sa
from alembic import op

from migrations.compatibility import declare_oldest_code

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

COUNTED = """
UPDATE estimation_queries AS asked SET classes = counted.classes
FROM (
    SELECT estimation_id, query_id, count(DISTINCT answer_key COLLATE "C") AS classes FROM votes
    WHERE coalesce(misread, 0) < 0.5 GROUP BY estimation_id, query_id
) AS counted
WHERE asked.estimation_id = counted.estimation_id AND asked.query_id = counted.query_id
"""


def upgrade() -> None:
    op.add_column("estimation_queries", sa.Column("classes", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.execute(COUNTED)
    declare_oldest_code(op.get_bind(), revision)


def downgrade() -> None:
    op.drop_column("estimation_queries", "classes")
    declare_oldest_code(op.get_bind(), "0050")
