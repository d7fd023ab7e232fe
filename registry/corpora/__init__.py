"""Corpora: a set of sources with the queries that measure them; and their exports."""
