"""From a trained reader of many languages to its pack.

`python -m benchmarks.training.languages.pack --run build/languages --out answering/e5/reader` writes what was trained
of the layers, the heads, and the settings: confidence and threshold by passages of the sets that train which training
did not see, with near passages that do not answer. `benchmarks.languages.reading` reports on others.
"""

import argparse
import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import torch

from answering.compact.extraction import Extractor
from answering.compact.model import CompactModel
from answering.e5.layers import DIFFERENCES
from answering.e5.weights import E5Weights
from answering.e5.window_model import E5WindowModel
from benchmarks.data.language_sets import development_sets
from benchmarks.data.squad import Example, same_answer
from benchmarks.training.export import write_manifest
from benchmarks.training.languages.encoder import load_encoder
from benchmarks.training.languages.export import export_pack
from benchmarks.training.languages.windows import with_near_passages
from benchmarks.training.reader.calibration import Scored, calibrate, quality
from benchmarks.training.reader.features import WINDOW_TOKENS
from benchmarks.training.reader.model import ReaderModel
from benchmarks.training.reader.pack import OUTPUTS, UNCALIBRATED

SEED = 20
QUESTIONS = 200
"""Of each set."""


def main() -> None:
    """Export, calibrate, and write the manifest; prints what it chose."""
    options = _options()
    weights = E5Weights.installed()
    reader = ReaderModel(load_encoder(weights))
    checkpoint = torch.load(options.run / "checkpoint.pt", weights_only=True, map_location="cpu")
    reader.load_state_dict(checkpoint["model"])
    export_pack(reader, OUTPUTS, weights, options.out)
    name = hashlib.sha256((options.out / DIFFERENCES).read_bytes()).hexdigest()[:8]
    write_manifest(options.out, name, WINDOW_TOKENS, UNCALIBRATED)
    extractor = Extractor(E5WindowModel(CompactModel.open(options.out)))
    scored = {
        questions[0].topic: [_score(extractor, example) for example in _sampled(questions)]
        for questions in development_sets(options.data)
    }
    settings = calibrate(list(scored.values()))
    write_manifest(options.out, name, WINDOW_TOKENS, settings)
    print(settings)
    for topic, of in scored.items():
        found = quality(of, settings)
        shares = ", ".join(f"{right:.3f} at {answered:g}" for answered, right in found.right.items())
        print(f"{topic}: area under the curve {found.area:.3f}; right where so many others are answered: {shares}")


def _sampled(questions: Sequence[Example]) -> Iterator[Example]:
    """Some of the questions, each with its passage and a near one without the answer."""
    answered = [one for one in questions if one.span]
    sampled = Random(SEED).sample(answered, min(QUESTIONS, len(answered)))
    return itertools.chain.from_iterable(with_near_passages(sampled))


def _score(extractor: Extractor, example: Example) -> Scored:
    spans = [window[0] for window in extractor.extract(example.question, example.passage).windows]
    best = max(spans, key=lambda span: span.margin, default=None)
    if best is None:
        return Scored(-math.inf, 0.0, right=False, has_answer=example.span is not None)
    right = same_answer(example.passage[best.start : best.end], example.answer, example.question)
    return Scored(best.margin, best.answerable, right, example.span is not None)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("build/languages"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
