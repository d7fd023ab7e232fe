"""Feeds of the sources that turn or fall, each at an address of its own."""
