"""Readings: the answer of a source to a query, read once and kept; and misreadings that people found."""
