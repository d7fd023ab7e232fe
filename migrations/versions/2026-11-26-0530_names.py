"""Stored answers call copy groups by that name and count independent votes; runs have the names of methods of now."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

RUNS = sa.table("estimations", sa.column("method", sa.String))
METHODS = {"bayes": "one_coin", "confusion": "dawid_skene"}
ANSWERS = sa.table("answers", sa.column("result", JSONB), sa.column("parameters", JSONB))
EVALUATIONS = sa.table("evaluations", sa.column("report", JSONB))
COUNTED = ('"kappa_counts": "voices"', '"kappa_counts": "copy_groups"')
# In the text of a JSON document; inside of its strings the quotes would be escaped.
RENAMED = (
    (ANSWERS, "result", '"voices": ', '"independent_votes": '),
    (ANSWERS, "result", '"voice": ', '"copy_group": '),
    (ANSWERS, "parameters", *COUNTED),
    (EVALUATIONS, "report", *COUNTED),
)


def upgrade() -> None:
    _rename(RENAMED)
    _rename_methods(METHODS)


def downgrade() -> None:
    _rename([(table, column, renamed, former) for table, column, former, renamed in RENAMED])
    _rename_methods({renamed: former for former, renamed in METHODS.items()})


def _rename(names: Sequence[tuple[sa.TableClause, str, str, str]]) -> None:
    for table, name, former, renamed in names:
        column = table.columns[name]
        text = sa.cast(column, sa.Text)
        replaced = sa.cast(sa.func.replace(text, former, renamed), JSONB)
        op.execute(table.update().where(text.contains(former)).values({column: replaced}))


def _rename_methods(names: Mapping[str, str]) -> None:
    for former, renamed in names.items():
        op.execute(RUNS.update().where(RUNS.columns.method == former).values(method=renamed))
