"""Schedules: estimations, generations of queries and connectors at set times."""
