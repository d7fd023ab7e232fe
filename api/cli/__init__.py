"""The command line: a client of the HTTP interface, of a service elsewhere or of the one within its process."""

from api.cli.application import main

__all__ = ["main"]
