"""The family of estimation methods: one file a member, and `METHODS`, the one list.

A new method is a new file with an `EstimationMethod` and an entry in the list, from which the HTTP schema, the command
line and the documentation derive.

>>> [method.name for method in METHODS]
['auto', 'one_coin', 'dawid_skene', 'iwmv', 'majority', 'wawa', 'oracle']
"""

from typing import Final

from estimator.errors import EstimatorError
from estimator.methods.auto import AUTO
from estimator.methods.dawid_skene import DAWID_SKENE
from estimator.methods.iwmv import IWMV
from estimator.methods.majority import MAJORITY
from estimator.methods.member import EstimationMethod, Options
from estimator.methods.one_coin import ONE_COIN_METHOD
from estimator.methods.oracle import ORACLE
from estimator.methods.wawa import WAWA

__all__ = ["DEFAULT_METHOD", "METHODS", "EstimationMethod", "Options", "method_named"]

METHODS: Final[list[EstimationMethod]] = [AUTO, ONE_COIN_METHOD, DAWID_SKENE, IWMV, MAJORITY, WAWA, ORACLE]
DEFAULT_METHOD: Final = AUTO.name


def method_named(name: str) -> EstimationMethod:
    """The member of this name. Raises EstimatorError where there is none.

    >>> method_named("majority").cost
    'O(V)'
    """
    for method in METHODS:
        if method.name == name:
            return method
    message = f"there is no estimation method {name!r}; choose {', '.join(method.name for method in METHODS)}"
    raise EstimatorError(message)
