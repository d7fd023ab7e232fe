"""Queries that measure sources, and their gold answers."""
