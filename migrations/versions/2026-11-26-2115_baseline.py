"""The whole schema as of this date, and the job queue of procrastinate in a schema of its own.

It has the number of the last of the migrations that it stands for, so that a database of that revision goes on from it.
"""

import re
from pathlib import Path

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0049"
down_revision = None
branch_labels = None
depends_on = None

BASELINE = Path(__file__).parents[1] / "baseline.sql"


def upgrade() -> None:
    execute(BASELINE.read_text(encoding="utf-8"))
    # procrastinate's SQL names no schema: it lands in the first one of the search path.
    op.execute("CREATE SCHEMA procrastinate")
    op.execute("SET LOCAL search_path TO procrastinate, public")
    execute(SchemaManager.get_schema())
    op.execute("SET LOCAL search_path TO DEFAULT")


def downgrade() -> None:
    # The extension stays: others may use it, and removing it would need rights that an upgrade did not.
    tables = re.findall(r"^CREATE (?:UNLOGGED )?TABLE (\w+)", BASELINE.read_text(encoding="utf-8"), re.MULTILINE)
    op.execute(f"DROP TABLE {', '.join(tables)}")
    op.execute("DROP SCHEMA procrastinate CASCADE")


def execute(sql: str) -> None:
    """Many statements at once."""
    op.get_bind().exec_driver_sql(sql.replace("%", "%%"))
