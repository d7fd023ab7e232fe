"""What alignment protects, without a language model: `python -m benchmarks.multisource.filtering`.

RA-RAG section 5.3: four spammers and one hammer, 800 queries, and a reader that answers from memory where passages hold
no answer. Its errors are drawn with the shares that the paper measured (`drawn`); the estimator, the selection and the
vote are those of the service. The coverage of the spammers is varied, as its number in the paper is lost.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.harness import Cell, Report, interval, progress, run
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels
from benchmarks.multisource import BENCHMARK, replay
from benchmarks.multisource.drawn import drawn_record
from benchmarks.multisource.record import CorpusRecord
from benchmarks.multisource.score import scored
from benchmarks.multisource.synthetic import Prior, Setting

COVERAGES = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
SPAMMERS = 4
SUBSET = tuple(range(SPAMMERS + 1))
MOST_SEEDS = 10
WITH, WITHOUT = "with the filter", "without it"
PAPER = {"oracle": 0.549, WITH: 0.543, WITHOUT: 0.465, "majority": 0.449}
COLOURS = {"oracle": ("#444444", ":"), WITH: ("#1b9e77", "-"), "reliabilities without it": ("#b04a3a", "--"),
           WITHOUT: ("#b04a3a", "-"), "majority": ("#888888", "-")}  # fmt: skip


def measure(report: Report) -> None:
    """Answers and reliabilities by the coverage of the spammers."""
    seeds = min(report.options.seeds, 2 if report.options.quick else MOST_SEEDS)
    rows: dict[str, list[Cell]] = defaultdict(list)
    curves = defaultdict[str, list[float]](list)
    for coverage in COVERAGES:
        setting = Setting("filtering", sources=SPAMMERS + 1, prior=Prior.SPAMMER_HAMMER, spammers=SPAMMERS,
                          spammer_coverage=coverage, estimation=800)  # fmt: skip
        by_seed = [figures_of(drawn_record(setting, seed)) for seed in range(seeds)]
        for name in by_seed[0]:
            spread = interval([figures[name] for figures in by_seed])
            rows[name].append(str(spread))
            curves[name].append(spread.mean)
            report.figure(f"filtering/{coverage}/{name}", spread.mean)
        progress(f"coverage {coverage}")
    columns = ["", *(f"{coverage:g}" for coverage in COVERAGES)]
    title = f"Right answers and mean reliabilities by the coverage of four spammers beside a hammer ({seeds} seeds)"
    report.table(title, columns, [[name, *cells] for name, cells in rows.items()])
    report.table("As the paper has it", ["", "exact match"], [list(row) for row in PAPER.items()])
    if report.options.save is not None:
        _draw(curves)


def figures_of(record: CorpusRecord) -> dict[str, float]:
    """Shares of right answers by method, and what spammers and the hammer are taken for."""
    oracle = replay.electorate_of(record.reliabilities, len(SUBSET))
    filtered, known = replay.estimated_electorate(record, SUBSET, "iwmv")
    loose, distorted = replay.estimated_electorate(record, SUBSET, "iwmv", aligned=False)
    ways = {
        "oracle": (oracle, True),
        WITH: (filtered, True),
        "reliabilities without it": (loose, True),
        WITHOUT: (loose, False),
        "majority": (replay.equal_electorate(len(SUBSET)), True),
    }
    figures = {}
    for name, (electorate, aligned) in ways.items():
        answers = [
            replay.answer_by_selection(record, question, SUBSET, electorate, None, aligned=aligned).answer
            for question in record.test
        ]
        right = [scored(record, question, answer).right for question, answer in zip(record.test, answers, strict=True)]
        figures[name] = sum(right) / len(right)
    for name, estimate in ((WITH, known), (WITHOUT, distorted)):
        figures[f"spammers {name}"] = float(estimate.reliability[:SPAMMERS].mean())
        figures[f"hammer {name}"] = float(estimate.reliability[SPAMMERS])
    return figures


def _draw(curves: Mapping[str, list[float]]) -> None:
    reliabilities = {side: {WITH: curves[f"{side} {WITH}"], WITHOUT: curves[f"{side} {WITHOUT}"]}
                     for side in ("spammers", "hammer")}  # fmt: skip
    panels = [
        Panel("Right answers", COVERAGES, {name: curves[name] for name in COLOURS}),
        *(Panel(f"Reliability of {side}", COVERAGES, lines) for side, lines in reliabilities.items()),
    ]

    style = PlotStyle("coverage of the spammers", "", COLOURS, ticks=COVERAGES, tick_form=".1f")
    draw_panels(panels, style, PLOTS / "multisource" / "filtering.png")


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="multisource.filtering"), measure))
