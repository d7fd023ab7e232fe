"""The root of the error tree, and what the estimator raises.

Imports nothing, so that every layer can import the root from here without loading NumPy or SciPy.

CredenceError
├── EstimatorError          estimator/errors.py
├── AnsweringError          answering/errors.py
└── RegistryError           registry/errors.py
"""


class CredenceError(Exception):
    """Base class of every error that Credence raises on purpose; its text tells a person what to do."""


class EstimatorError(CredenceError, ValueError):
    """Votes or parameters that no estimate can be made of."""
