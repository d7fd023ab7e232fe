"""`python -m benchmarks.languages.reliability`: are reader and judge of many languages right as often as they are sure?

On questions and pairs that neither trained nor chose a setting, as a table and as
`docs/results/plots/languages_reliability.png`. Each question is read from its passage and from a near one that does not
answer it. The reader runs without its threshold, so that the readings that it would keep to itself count too.
"""

import asyncio
from collections.abc import Iterable, Iterator

import numpy as np

from answering.e5.encoder import require_packages
from answering.errors import ModelRefused
from answering.judges.multilingual import MultilingualJudge
from answering.readers.multilingual import MultilingualReader
from answering.text.language import ENGLISH
from benchmarks.data.language_sets import FOLDER, LANGUAGE_SETS
from benchmarks.data.language_verdicts import FILE, reported_verdicts
from benchmarks.data.squad import Example, same_answer
from benchmarks.harness import Benchmark, CannotMeasureError, Report, run
from benchmarks.harness.reliability import Judged, measure_reliability
from benchmarks.languages.judging import spread
from benchmarks.languages.reading import samples

BENCHMARK = Benchmark(
    "languages.reliability",
    "confidence of the reader and the judge of many languages, and the share right",
    "languages",
)
QUESTIONS, PAIRS, QUICK = 200, 400, 8


def measure(report: Report) -> None:
    """The table and the plot: languages whose texts trained, and others."""
    report.folder(FOLDER)
    report.folder(str(FILE.parent))
    try:
        require_packages()
    except ModelRefused as absent:
        raise CannotMeasureError(str(absent)) from absent
    measured = dict([*_reader(report), *_judge(report)])
    measure_reliability(report, "On texts that no setting has seen", measured, "languages_reliability.png")


def _reader(report: Report) -> Iterator[tuple[str, Judged]]:
    reader = MultilingualReader(threads=1, threshold=0.0)
    count = QUICK if report.options.quick else QUESTIONS
    drawn = {language: of for language, of in samples(report.options.data, count) if language != ENGLISH}
    trained = {kind.language.partition("-")[0] for kind in LANGUAGE_SETS if kind.trains}
    for name, languages in (("reader, trained on", trained), ("reader, others", drawn.keys() - trained)):
        examples = [example for language in sorted(languages) for example in drawn[language]]
        yield name, asyncio.run(_read(reader, examples))


async def _read(reader: MultilingualReader, examples: Iterable[Example]) -> Judged:
    """Every reading with an answer."""
    read = [(example, await reader.read(example.question, [example.passage])) for example in examples]
    answered = [(example, reading) for example, reading in read if reading.answer]
    right = [same_answer(reading.answer or "", example.answer, example.question) for example, reading in answered]
    return Judged(np.array([reading.confidence for _, reading in answered]), np.array(right))


def _judge(report: Report) -> Iterator[tuple[str, Judged]]:
    judge = MultilingualJudge(threads=1)
    count = QUICK if report.options.quick else PAIRS
    verdicts = list(reported_verdicts(report.options.data))
    by_language = {one.language: [each for each in verdicts if each.language == one.language] for one in verdicts}
    for name, languages in (("judge, trained on", by_language.keys() - {"zh"}), ("judge, Chinese", {"zh"})):
        chosen = [one for language in sorted(languages) for one in spread(by_language[language], count)]
        judgements = asyncio.run(judge.judge_all([one.pair for one in chosen]))
        confidence = [max(judgement.probabilities.values()) for judgement in judgements]
        right = [judgement.label is one.label for judgement, one in zip(judgements, chosen, strict=True)]
        yield name, Judged(np.array(confidence), np.array(right))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
