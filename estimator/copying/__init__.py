"""Copy detection: sources that copy each other count once. README.md beside this file has the idea and a map.

>>> import numpy as np
>>> from estimator import estimate
>>> from estimator.synthetic import CopyScenario, draw_copies
>>> scenario = CopyScenario((0.75,) * 5 + (0.35,) * 3, (1.0,) * 8, copies=(-1,) * 6 + (5, 5))
>>> votes = draw_copies(scenario, np.random.default_rng(0)).votes
>>> detection = find_copies(votes)
>>> detection.groups.tolist()
[0, 1, 2, 3, 4, 5, 5, 5]
>>> estimate(collapse(votes, detection.groups), "bayes").reliability.size
6
"""

from estimator.copying.collapse import collapse
from estimator.copying.detection import CopyDetection, find_copies
from estimator.copying.prior_evidence import PriorEvidence
from estimator.copying.search import CopyRules
from estimator.result import CopyGroup

__all__ = [
    "CopyDetection",
    "CopyGroup",
    "CopyRules",
    "PriorEvidence",
    "collapse",
    "find_copies",
]
