"""The foundations of every noun: settings, errors, database, fields of input, models."""
