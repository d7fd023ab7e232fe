"""Postgres: engine, embedded server, advisory locks, paging, retries, group commit, job queue."""
