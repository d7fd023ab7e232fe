"""The scope of `alembic check`: our tables, without partitions, procrastinate, and the table of compatibility."""

from sqlalchemy.sql.schema import SchemaItem

from migrations.compatibility import TABLE

PARTITION_PREFIX = "passages_p"


def include_object(
    item: SchemaItem, name: str | None, kind: str, reflected: bool, compare_to: SchemaItem | None
) -> bool:
    """Alembic's filter: false leaves the object out of the comparison."""
    del item, compare_to
    if kind != "table" or not reflected or name is None:
        return True
    return name != TABLE and not name.startswith(PARTITION_PREFIX)
