"""Postgres: engine, embedded server and supervisor, locks, cursor pagination, retries, group commit and job queue."""
