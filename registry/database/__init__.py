"""Postgres: engine, embedded server, advisory locks, cursor pagination, retries, group commit and job queue."""
