"""Votes written to files in different ways."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from estimator import VoteMatrix
from estimator.arrays.types import Integers
from estimator.distributed import SourceEstimates, write_votes
from tests.estimator.synthetic import CopyScenario, Prior, Scenario, draw, draw_copies

SCENARIO = Scenario(source_count=12, query_count=300, prior=Prior.BETA)
COPIES = draw_copies(
    CopyScenario((0.75,) * 5 + (0.35,) * 3, (1.0,) * 8, copies=(-1,) * 6 + (5, 5)), np.random.default_rng(0)
).votes
"""The last three sources copy each other."""
FITTED = ("reliability", "weight", "lower", "upper")


def drawn(seed: int = 0, scenario: Scenario = SCENARIO) -> VoteMatrix:
    """Votes of a known world."""
    return draw(scenario, np.random.default_rng(seed)).votes


def written(
    folder: Path, votes: VoteMatrix, file_of_query: Sequence[int] | Integers, *, texts: bool = False
) -> list[str]:
    """The paths of files with these votes, in random order, each query in the file of its number (M,)."""
    random, columns = np.random.default_rng(0), np.stack(votes.triples())
    places = np.asarray(file_of_query)[columns[0]]
    folder.mkdir(exist_ok=True)
    paths = []
    for file in np.unique(places).tolist():
        rows = columns[:, random.permutation(np.flatnonzero(places == file))]
        path = str(folder / f"{file}.parquet")
        query, source, answer = ([f"{value:04d}" for value in column] if texts else column for column in rows)
        write_votes(path, [(query, source, answer)])
        paths.append(path)
    return paths


def bits(result: SourceEstimates) -> bytes:
    """All that was fitted, bit for bit."""
    return b"".join(getattr(result.fit, name).tobytes() for name in FITTED) + repr(result.fit.diagnostics).encode()
