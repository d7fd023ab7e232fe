"""Stored answers and their parameters call copy groups by that name, and count independent votes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

ANSWERS = sa.table("answers", sa.column("result", JSONB), sa.column("parameters", JSONB))
# In the text of a JSON document; inside of its strings the quotes would be escaped.
RENAMED = (
    ("result", '"voices": ', '"independent_votes": '),
    ("result", '"voice": ', '"copy_group": '),
    ("parameters", '"kappa_counts": "voices"', '"kappa_counts": "copy_groups"'),
)


def upgrade() -> None:
    _rename(RENAMED)


def downgrade() -> None:
    _rename([(column, renamed, former) for column, former, renamed in RENAMED])


def _rename(names: Sequence[tuple[str, str, str]]) -> None:
    for name, former, renamed in names:
        column = ANSWERS.columns[name]
        text = sa.cast(column, sa.Text)
        replaced = sa.cast(sa.func.replace(text, former, renamed), JSONB)
        op.execute(ANSWERS.update().where(text.contains(former)).values({column: replaced}))
