"""Calibration, and the combination of windows into one judgement."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.errors import ModelDamaged
from answering.judges.compact import LABELS, Calibration, CompactJudge, combined
from answering.judges.judge import Label

_LOGITS = st.lists(st.tuples(*[st.floats(-20, 20, width=32)] * 3), min_size=1, max_size=6)


def _label(*windows: tuple[float, float, float]) -> Label:
    return LABELS[int(combined(np.array(windows)).argmax())]


def test_one_window_is_unchanged() -> None:
    assert combined(np.array([[0.2, 0.5, 0.3]])) == pytest.approx([0.2, 0.5, 0.3])


def test_one_relevant_window_outweighs_irrelevant_ones() -> None:
    silent = (0.05, 0.05, 0.9)
    assert _label(silent, silent, (0.1, 0.8, 0.1), silent) is Label.CONTRADICTS
    assert _label(silent, (0.8, 0.1, 0.1), silent) is Label.SUPPORTS
    assert _label(silent, silent, silent) is Label.IRRELEVANT


def test_the_stronger_of_support_and_contradiction_wins_and_support_wins_a_tie() -> None:
    assert _label((0.9, 0.05, 0.05), (0.0, 0.7, 0.3)) is Label.SUPPORTS
    assert _label((0.6, 0.1, 0.3), (0.0, 0.95, 0.05)) is Label.CONTRADICTS
    assert _label((0.8, 0.1, 0.1), (0.1, 0.8, 0.1)) is Label.SUPPORTS


@given(_LOGITS)
def test_probabilities_sum_to_one_also_when_combined(logits: list[tuple[float, float, float]]) -> None:
    rows = Calibration(1.3, 0.5, -0.5).probabilities(np.array(logits, dtype=np.float32))
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(logits)))
    assert combined(rows).sum() == pytest.approx(1)
    assert (rows >= 0).all()


def test_bias_and_temperature() -> None:
    logits = np.array([[1.0, 0.0, 0.0]], dtype=np.float32)
    plain = Calibration().probabilities(logits)[0]
    assert Calibration(1.0, 0.0, 2.0).probabilities(logits)[0].argmax() == 1
    assert Calibration(4.0).probabilities(logits)[0, 0] < plain[0]


def test_a_calibration_is_read_from_the_settings_of_a_model() -> None:
    settings = {"temperature": 1.25, "supports": 0.25, "contradicts": -0.5, "stands": 1.0, "absent": 0.5}
    assert Calibration.of(settings) == Calibration(1.25, 0.25, -0.5, 1.0, 0.5)
    assert Calibration.of({}) == Calibration(1.0, 0.0, 0.0)


def test_missing_weights_are_an_error_with_the_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelDamaged, match=str(tmp_path)):
        CompactJudge(tmp_path)


def test_an_answer_that_occurs_in_the_passage_raises_support() -> None:
    rows = np.full((3, 3), 1 / 3)
    stands, absent, unknown = Calibration(stands=1.0, absent=0.5).with_occurrence(rows, np.array([1.0, 0.0, np.nan]))
    assert stands[0] > 1 / 3 > absent[0]
    assert unknown == pytest.approx(rows[2])
    assert (stands.sum(), absent.sum()) == pytest.approx((1, 1))
