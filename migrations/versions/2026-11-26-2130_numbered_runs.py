"""Runs of a corpus are numbered and may be named, and one of before may count again."""

import sqlalchemy as sa
from alembic import op

from migrations.compatibility import declare_oldest_code

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

NUMBERED = """
UPDATE estimations SET number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY corpus_id ORDER BY id) AS number FROM estimations) AS counted
WHERE estimations.id = counted.id
"""


def upgrade() -> None:
    op.add_column("estimations", sa.Column("number", sa.Integer(), nullable=True))
    op.execute(NUMBERED)
    op.alter_column("estimations", "number", nullable=False)
    op.create_index(op.f("estimations_corpus_id_number_key"), "estimations", ["corpus_id", "number"], unique=True)
    op.add_column("estimations", sa.Column("name", sa.String(), nullable=True))
    op.add_column("estimations", sa.Column("replaced_by", sa.Uuid(), nullable=True))
    declare_oldest_code(op.get_bind(), revision)


def downgrade() -> None:
    for name in ("replaced_by", "name", "number"):
        op.drop_column("estimations", name)
    declare_oldest_code(op.get_bind(), "0049")
