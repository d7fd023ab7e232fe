"""What can go wrong with the benchmark.

CredenceError
├── BadWorld   the facts at hand cannot fill the world that was asked for
└── BadRun     the service did not do what the benchmark needs of it
"""

from estimator.errors import CredenceError


class BadWorld(CredenceError):
    """A world that cannot be built; the message says what to change."""


class BadRun(CredenceError):
    """The service refused or failed; the message says why."""
