"""Stored answers and their parameters call copy groups by that name, and count independent votes."""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

# Keys of JSON as text: inside of a string the quotes would be escaped.
_RENAMED = (('"voices": ', '"independent_votes": '), ('"voice": ', '"copy_group": '))
_COUNTED = (('"kappa_counts": "voices"', '"kappa_counts": "copy_groups"'),)


def upgrade() -> None:
    for column, pairs in (("result", _RENAMED), ("parameters", _COUNTED)):
        for former, renamed in pairs:
            _replace(column, former, renamed)


def downgrade() -> None:
    for column, pairs in (("result", _RENAMED), ("parameters", _COUNTED)):
        for former, renamed in pairs:
            _replace(column, renamed, former)


def _replace(column: str, former: str, renamed: str) -> None:
    op.execute(
        f"UPDATE answers SET {column} = replace({column}::text, '{former}', '{renamed}')::jsonb "
        f"WHERE {column}::text LIKE '%{former}%'"
    )
