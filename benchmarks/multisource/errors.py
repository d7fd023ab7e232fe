"""What can be wrong with the benchmark.

CredenceError
└── BadWorld   the facts at hand cannot fill the world that was asked for
"""

from estimator.errors import CredenceError


class BadWorld(CredenceError):
    """A world that cannot be built; the message says what to change."""
