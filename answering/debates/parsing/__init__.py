"""Parsers of model replies. Every parser returns None for a reply that cannot be read, and none raises."""
