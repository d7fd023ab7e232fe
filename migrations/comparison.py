"""What `alembic check` compares: our tables, not their partitions nor what procrastinate keeps in its schema."""

from sqlalchemy.sql.schema import SchemaItem

PARTITION_PREFIX = "passages_p"


def include_object(
    item: SchemaItem, name: str | None, kind: str, reflected: bool, compare_to: SchemaItem | None
) -> bool:
    """Alembic's filter: false leaves the object out of the comparison."""
    del item, compare_to
    return not (kind == "table" and reflected and name is not None and name.startswith(PARTITION_PREFIX))
