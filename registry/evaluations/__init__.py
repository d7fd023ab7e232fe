"""A corpus evaluated on its queries with gold answers."""
