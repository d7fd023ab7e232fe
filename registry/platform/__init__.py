"""What every noun stands on: settings, errors, database, fields of input, models."""
