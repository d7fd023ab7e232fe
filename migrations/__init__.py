"""The schema of the database, step by step, and the means to walk the steps."""
