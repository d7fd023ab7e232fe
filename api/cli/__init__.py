"""The command line: the same work as over HTTP, done by the registry directly."""

from api.cli.application import main

__all__ = ["main"]
