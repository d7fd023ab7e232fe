"""All SQL on the tables, one module a noun. A session is handed in and never committed here."""
