"""What can go wrong with the benchmark.

CredenceError
├── UnusableFacts   the facts at hand cannot fill the corpus that was asked for
└── ServiceFailed     the service did not do what the benchmark needs of it
"""

from estimator.errors import CredenceError


class UnusableFacts(CredenceError):
    """A corpus that cannot be built; the message says what to change."""


class ServiceFailed(CredenceError):
    """The service refused or failed; the message says why."""
