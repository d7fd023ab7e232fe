"""Pairwise evidence of copying, against numbers computed by hand."""

import numpy as np
import pytest

from estimator.copying.evidence import compare
from estimator.copying.pairs import Pairs


def pairs(overlap: list[float], agreed: list[float], prior: float = 0.0) -> Pairs:
    """Pairs (0, 1), (2, 3), ... that cover the same queries."""
    first = np.arange(0, 2 * len(overlap), 2)
    even = np.ones(len(overlap))
    return Pairs(first, first + 1, np.array(overlap), np.array(agreed), even, prior * even)


def test_agreement_is_explained_by_being_right_and_by_common_errors() -> None:
    """0.9 * 0.8 + 0.1 * 0.2 * 0.25, and the rest of the agreement is copied: 0.8 = c + (1 - c) * 0.725."""
    evidence = compare(pairs([100.0], [80.0]), np.array([0.9, 0.8]), 0.25, np.zeros(1), 0.5)
    assert evidence.explained.tolist() == pytest.approx([0.725])
    assert evidence.copied_share.tolist() == pytest.approx([0.075 / 0.275])
    assert evidence.log_odds.tolist() == [-np.inf]


def test_frequencies_of_labels_explain_agreement_too() -> None:
    """Two that nearly always say yes agree nearly always."""
    evidence = compare(pairs([100.0], [96.0]), np.array([0.5, 0.5]), 0.5, np.array([0.95]), 0.5)
    assert evidence.explained.tolist() == [0.95]
    assert evidence.copied_share[0] < 0.5


def test_log_odds_depend_on_the_share_that_is_copied_and_not_on_the_count() -> None:
    """Of 1,000 queries 440 or 760 are answered alike, where 200 would be: 30 % and 70 % copied."""
    counts = pairs([1000.0, 1000.0, 10.0], [440.0, 760.0, 10.0])
    weak, strong, few = compare(counts, np.full(6, np.sqrt(0.2)), 0.0, np.zeros(3), 0.5).log_odds.tolist()
    assert weak == -np.inf
    assert strong > 20
    assert 3 < few < 20


def test_without_overlap_only_prior_evidence_counts() -> None:
    """Against odds of 1 to 2 for either source, and as much for mere similarity."""
    evidence = compare(pairs([0.0], [0.0], prior=6.0), np.full(2, 0.5), 0.1, np.zeros(1), 0.5)
    assert evidence.log_odds.tolist() == pytest.approx([6 - np.log(3)])
