"""Queries that sources answer differently, and documents that contradict each other."""
