"""Retrievers of frameworks on the Python client, each in a module that needs the extra of its name."""
