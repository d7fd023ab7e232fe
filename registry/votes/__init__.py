"""Votes that came without documents: what a source says to a query, imported as it is."""
