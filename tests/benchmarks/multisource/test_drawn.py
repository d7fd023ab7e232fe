"""Drawn records: their shares, what the filter protects, and the kappa that a price chooses."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.multisource.cost import Curve
from benchmarks.multisource.drawn import LLAMA, drawn_record
from benchmarks.multisource.filtering import WITH, WITHOUT, figures_of
from benchmarks.multisource.record import CorpusRecord
from benchmarks.multisource.replay import kinds_of_reading
from benchmarks.multisource.synthetic import Prior, Setting, Stance


@pytest.fixture(scope="module")
def record() -> CorpusRecord:
    setting = Setting("filtering", sources=5, prior=Prior.SPAMMER_HAMMER, spammers=4, spammer_coverage=0.1)
    return drawn_record(replace(setting, estimation=800), 0)


@pytest.mark.parametrize("aligned", [True, False])
def test_readings_have_the_shares_of_the_table(record: CorpusRecord, aligned: bool) -> None:
    counts = Counter(kinds_of_reading(record, aligned=aligned))
    silent = {kind: count for (stance, kind), count in counts.items() if stance == Stance.IRRELEVANT}
    shares = LLAMA[Stance.IRRELEVANT]
    for kind, name in (("correct", "right"), ("hallucination", "other")):
        assert silent[kind] / sum(silent.values()) == pytest.approx(shares[name][aligned], abs=0.04)


def test_without_the_filter_spammers_look_better_than_the_hammer(record: CorpusRecord) -> None:
    figures = figures_of(record)
    assert figures[f"hammer {WITH}"] > 2 * figures[f"spammers {WITH}"]
    assert figures[f"spammers {WITHOUT}"] > figures[f"hammer {WITHOUT}"]
    assert figures[WITH] > figures[WITHOUT]


def test_a_higher_price_chooses_a_smaller_kappa() -> None:
    readings, confidence = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.6, 0.61])
    curve = Curve(readings, confidence, readings, confidence)
    assert [curve.chosen(price) for price in (0.005, 0.05, 0.2)] == [2, 1, 0]
