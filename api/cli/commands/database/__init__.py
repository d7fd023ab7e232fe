"""Commands on the database as a whole."""
