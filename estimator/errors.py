"""The root of the one error tree.

CredenceError
├── EstimatorError          estimator/errors.py
├── AnsweringError          answering/errors.py
└── RegistryError           registry/errors.py
"""


class CredenceError(Exception):
    """Everything Credence raises on purpose. The text is for a person and says what to do."""


class EstimatorError(CredenceError, ValueError):
    """Votes or parameters that no estimator can work with."""
