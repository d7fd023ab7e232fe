"""All SQL on the tables, one module a noun. Functions take a session, which they never commit."""
