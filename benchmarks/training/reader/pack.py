"""From the trained reader to what ships: `python -m benchmarks.training.reader.pack --run build/reader --out FOLDER`.

The calibration sees development data only: questions on a twentieth of all passages, drawn like the stage of search
results with its passages that do not answer and like that of exchanged subjects, a quarter of RAMDocs' questions, and
results of web searches. What is printed of them chooses between weights. Another quarter of RAMDocs is reported on and
looked at by nobody before. `--blend` takes the mean of the trained weights, with their `--share`, and of those of
another pack.
"""

import argparse
import hashlib
import math
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path

from answering.compact.extraction import ExtractedSpan, Extractor
from answering.compact.model import CompactModel
from answering.compact.window_model import BertWindowModel
from answering.questions.answer_type import expected_answer_type
from answering.readers.english.answer_fit import fits
from answering.readers.english.measures import whole_measure
from answering.readers.english.subject_check import SubjectCheck
from benchmarks.data.splits import Part, ramdocs_examples
from benchmarks.data.squad import Example, same_answer
from benchmarks.data.web_results import WebResult, load_web_results
from benchmarks.training.export import export, write_manifest
from benchmarks.training.reader.calibration import Quality, Scored, calibrate, quality
from benchmarks.training.reader.data import STAGES, Drawing, held_out_examples
from benchmarks.training.reader.features import WINDOW_TOKENS
from benchmarks.training.reader.model import ReaderModel
from benchmarks.training.restore import load_trained

OUTPUTS = ("starts", "ends", "answerable")
DEVELOPMENT_EXAMPLES = 1200
SEED = 20
UNCALIBRATED = {"bias": 0.0, "margin": 1.0, "answerable": 0.0, "threshold": 0.0}


def main() -> None:
    """Export, calibrate, and write the manifest; prints what it chose."""
    options = _options()
    model = ReaderModel()
    load_trained(model, options.run, blend=options.blend, share=options.share)
    path = export(model, OUTPUTS, options.out, int8=not options.full)
    weights = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    write_manifest(options.out, weights, WINDOW_TOKENS, UNCALIBRATED)
    extractor = Extractor(BertWindowModel(CompactModel.open(options.out)))
    results = [score_result(extractor, result) for result in load_web_results(options.data / "realtime_web")]
    held_out = score(extractor, held_out_passages(options.data, "results"))
    exchanged = score(extractor, held_out_passages(options.data, "subjects"))
    ramdocs = score(extractor, ramdocs_examples(options.data, Part.CALIBRATION))
    settings = calibrate([held_out, ramdocs, results], exchanged)
    write_manifest(options.out, weights, WINDOW_TOKENS, settings)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {settings}")
    sets = {
        "held out": held_out,
        "exchanged subjects": exchanged,
        "RAMDocs, calibration": ramdocs,
        "web results": results,
    }
    for name, scored in sets.items():
        print(_described(name, quality(scored, settings)))


def held_out_passages(data: Path, name: str) -> list[Example]:
    """Passages with and without an answer, drawn like a stage, none of them trained on or reported."""
    stage = next(stage for stage in STAGES if stage.name == name)
    drawn = chain.from_iterable(Drawing(held_out_examples(data), SEED).questions(stage))
    return list(islice(drawn, DEVELOPMENT_EXAMPLES))


def score(extractor: Extractor, examples: Sequence[Example]) -> list[Scored]:
    """The best span of each passage that fits its question, and whether it is the answer."""
    scored = []
    for example in examples:
        best = _best(extractor, example.question, example.passage, example.context)
        has_answer = example.span is not None
        if best is None:
            scored.append(Scored(-math.inf, 0.0, right=False, has_answer=has_answer))
        else:
            span, answer = best
            scored.append(Scored(span.margin, span.answerable, same_answer(answer, example.answer), has_answer))
    return scored


def score_result(extractor: Extractor, result: WebResult) -> Scored:
    """The same for a result of a web search."""
    best = _best(extractor, result.question, result.passage)
    if best is None:
        return Scored(-math.inf, 0.0, right=False, has_answer=result.holds_answer)
    span, answer = best
    right = result.holds_answer and result.accepts(answer)
    return Scored(span.margin, span.answerable, right, result.holds_answer)


def _described(name: str, found: Quality) -> str:
    shares = ", ".join(f"{right:.3f} at {answered:g}" for answered, right in found.right.items())
    return f"{name}: area under the curve {found.area:.3f}; right where so many of the others are answered: {shares}"


def _best(extractor: Extractor, question: str, passage: str, context: str = "") -> tuple[ExtractedSpan, str] | None:
    """The best span of the kind that the question asks for; None too where the passage says nothing of its subject."""
    expected = expected_answer_type(question)
    subject = SubjectCheck(question, [passage], [context])
    if not subject.speaking:
        return None
    extracted = extractor.extract(question, passage, context)
    spans = [
        span
        for window in extracted.windows
        for span in window
        if fits(expected, question, passage, span.start, span.end) and subject.allows(0, span.start, span.end)
    ]
    best = max(spans, key=lambda span: span.margin, default=None)
    if best is None:
        return None
    start, end = whole_measure(passage, best.start, best.end, question, expected)
    return best, passage[start:end]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("build/reader"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--blend", type=Path, default=None, help="folder of a pack to take the mean with")
    parser.add_argument("--share", type=float, default=0.5, help="of the trained weights in that mean, from 0 to 1")
    parser.add_argument("--full", action="store_true", help="keep 32 bits, to see what 8 cost")
    return parser.parse_args()


if __name__ == "__main__":
    main()
