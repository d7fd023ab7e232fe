"""The confidence and the threshold of a pack, from scored development passages."""

from random import Random

import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn, of the group `bench`")

from scipy.special import expit

from benchmarks.training.reader.calibration import Scored, calibrate, quality


def _scored(seed: int, *, answered: float, right: float, wrong: float) -> list[Scored]:
    """Passages whose margins spread around `right` where they are read right, around `wrong` elsewhere."""
    random = Random(seed)
    made = []
    for _ in range(400):
        has_answer = random.random() < answered
        good = has_answer and random.random() < 0.8
        made.append(Scored(random.gauss(right if good else wrong, 1.0), 0.0, good, has_answer))
    return made


def _confidence(settings: dict[str, float], margin: float) -> float:
    return float(expit(settings["bias"] + settings["margin"] * margin))


def test_the_threshold_parts_right_readings_from_passages_without_an_answer() -> None:
    settings = calibrate([_scored(1, answered=0.5, right=4.0, wrong=-4.0)])
    assert _confidence(settings, -2.0) < settings["threshold"] < _confidence(settings, 2.0)


def test_each_set_counts_the_same_however_many_passages_it_has() -> None:
    near, far = _scored(1, answered=0.5, right=2.0, wrong=-2.0), _scored(2, answered=0.5, right=6.0, wrong=2.0)
    once, often = calibrate([near, far]), calibrate([near, far * 5])
    assert once["threshold"] == pytest.approx(_at(once, often), abs=0.15)


def _at(settings: dict[str, float], others: dict[str, float]) -> float:
    """The confidence by `settings` of the margin that is the threshold by `others`."""
    threshold = others["threshold"]
    margins = [step / 20 for step in range(-200, 200)]
    margin = min(margins, key=lambda margin: abs(_confidence(others, margin) - threshold))
    return _confidence(settings, margin)


def test_quality_is_that_of_the_ranking_alone() -> None:
    scored = _scored(3, answered=0.5, right=4.0, wrong=-4.0)
    found = quality(scored, {"margin": 1.0, "answerable": 0.0})
    assert found.area > 0.99
    assert found.right[1.0] == pytest.approx(0.8, abs=0.06)
    assert found == quality(scored, {"margin": 2.0, "answerable": 0.0})
