"""Tables of the rows: means over the seeds with Student's 95 % interval."""

from collections.abc import Callable, Mapping, Sequence

from benchmarks.harness import Interval, Report, interval
from benchmarks.multisource.score import CONFLICTS, KAPPA, READING_KINDS, Row
from benchmarks.multisource.settings import COUNTS, COVERAGES, MANY, SPAMMERS, coverage_name

METHODS = ("oracle", "wmv", "ra-rag", "majority", "naive", "pooled", "no relevance check", "no alignment", "no RAG")
VARIATIONS = (("copies", "all"), ("topics", "all"), ("turning", "all"), ("turning", "late"), ("poison", "all"),
              ("poison", "poisoned"))  # fmt: skip
NAMES: Mapping[str, str] = {
    "oracle": "oracle weighted vote",
    "wmv": "weighted vote of all",
    "ra-rag": f"RA-RAG, kappa {KAPPA}",
    "majority": "majority",
    "naive": "naive RAG, top 10",
    "pooled": "one reader, pooled passages",
    "no relevance check": f"{KAPPA} most reliable, unchecked",
    "no alignment": f"kappa {KAPPA}, no alignment",
    "no RAG": "language model without passages",
}


ORDERINGS = (("wmv", "oracle"), ("ra-rag", "wmv"), ("ra-rag", "no relevance check"), ("majority", "naive"),
             ("ra-rag", "naive"))  # fmt: skip
_LEARNED = {"rmse": "RMSE", "rmse_votes": "RMSE to votes right", "pearson": "Pearson", "spearman": "Spearman",
            "intervals_hold": "90 % intervals hold"}  # fmt: skip


class Figures:
    """Means of the rows by their keys."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def of(self, name: str, **wanted: object) -> Interval | None:
        """The mean of a figure over the seeds, None where it was not measured."""
        values = [row[name] for row in self._rows if row.get(name) is not None and _fits(row, wanted)]
        return interval(values) if values else None

    def difference(self, name: str, methods: tuple[str, str], **wanted: object) -> Interval | None:
        """The paired difference of two methods over the corpora that have both, None where none has."""
        ours, theirs = (
            {row["seed"]: row[name] for row in self._rows if _fits(row, wanted | {"method": method}) and name in row}
            for method in methods
        )
        values = [ours[seed] - theirs[seed] for seed in ours if seed in theirs]
        return interval(values) if values else None

    def text(self, name: str, **wanted: object) -> str:
        """The same as text, empty where it was not measured."""
        return _text(self.of(name, **wanted))

    def values(self, key: str, **wanted: object) -> list[str]:
        """The distinct values of a key, in their order."""
        rows = [row for row in self._rows if _fits(row, wanted)]
        return list(dict.fromkeys(str(row[key]) for row in rows if key in row))

    def seeds(self, setting: str) -> int:
        """How many corpora of a setting were measured."""
        return len({row["seed"] for row in self._rows if row["setting"] == setting})

    def settings(self) -> list[str]:
        """The settings that were measured."""
        return self.values("setting")


def _fits(row: Row, wanted: Mapping[str, object]) -> bool:
    return all(row.get(name) == value for name, value in wanted.items())


def _text(value: Interval | None) -> str:
    """The interval, of a single corpus the value alone."""
    return "" if value is None else f"{value.mean:.3f}" if value.half_width != value.half_width else str(value)


def tabulate(report: Report, rows: Sequence[Row]) -> None:
    """Every table for which there are rows."""
    figures = Figures(rows)
    for table in _TABLES:
        table(report, figures)
    for setting in figures.settings():
        for subset in figures.values("subset", setting=setting, part="all"):
            for method in ("oracle", "wmv", "ra-rag", "majority", "naive"):
                interval = figures.of("right", setting=setting, subset=subset, method=method, part="all")
                if interval is not None:
                    report.figure(f"{setting}/{subset}/{method}", interval.mean)


def _by_subset(report: Report, figures: Figures, setting: str, subsets: Sequence[str], title: str, what: str) -> None:
    if setting not in figures.settings():
        return
    rows = [
        [
            NAMES[method],
            *(figures.text(what, setting=setting, subset=subset, method=method, part="all") for subset in subsets),
        ]
        for method in METHODS
    ]
    report.table(f"{title} ({figures.seeds(setting)} seeds)", ["", *subsets], [row for row in rows if any(row[1:])])


def _sources(report: Report, figures: Figures) -> None:
    subsets = [f"N={count}" for count in COUNTS]
    _by_subset(report, figures, "beta", subsets, "Right answers against the number of sources, Beta(6, 4)", "right")
    _by_subset(report, figures, "beta", subsets, "F1 against the number of sources, Beta(6, 4)", "f1")
    _by_subset(report, figures, "beta", subsets, "Exact match after SQuAD's normalisation, Beta(6, 4)", "exact")
    _by_subset(report, figures, "beta", subsets, "Answers that hold the words of a right one, Beta(6, 4)", "holds")
    _by_subset(report, figures, "beta", subsets, "Sources read for a question, Beta(6, 4)", "readings")


def _many(report: Report, figures: Figures) -> None:
    subsets = [f"N={count}" for count in MANY]
    _by_subset(report, figures, "many", subsets, "Right answers with many sources, Beta(6, 4)", "right")
    _by_subset(report, figures, "many", subsets, "Sources read for a question, many sources", "readings")


def _spammers(report: Report, figures: Figures) -> None:
    subsets = [f"spammers={count}" for count in SPAMMERS]
    _by_subset(report, figures, "spammers", subsets, "Right answers against spammers among nine sources", "right")


def _coverage(report: Report, figures: Figures) -> None:
    settings = [name for name in map(coverage_name, COVERAGES) if name in figures.settings()]
    for what in ("right", "holds", "readings"):
        rows = [
            [NAMES[method], *(figures.text(what, setting=setting, method=method, part="all") for setting in settings)]
            for method in METHODS
        ]
        if settings:
            title = f"{what.capitalize()} against coverage, Beta(6, 4) ({figures.seeds(settings[0])} seeds)"
            report.table(title, ["", *settings], [row for row in rows if any(row[1:])])


def _orderings(report: Report, figures: Figures) -> None:
    """Paired differences that the paper makes claims on."""
    for setting, subsets in (
        ("beta", [f"N={count}" for count in COUNTS]),
        ("spammers", [f"spammers={count}" for count in SPAMMERS]),
    ):
        rows = [
            [
                f"{NAMES[method]} - {NAMES[other]}",
                *(
                    _text(figures.difference("right", (method, other), setting=setting, subset=subset, part="all"))
                    for subset in subsets
                ),
            ]
            for method, other in ORDERINGS
        ]
        filled = [row for row in rows if any(row[1:])]
        if filled:
            report.table(f"Right answers, differences in the same corpora ({setting})", ["", *subsets], filled)


def _quick(report: Report, figures: Figures) -> None:
    for name in ("right", "readings"):
        _by_subset(report, figures, "quick", ["N=6"], f"One small corpus: {name}", name)


def _kappa(report: Report, figures: Figures) -> None:
    rows = [
        [
            setting,
            *(
                figures.text("right", setting=setting, subset=subset, method=f"kappa={k}", part="all")
                for k in range(1, 10)
            ),
        ]
        for setting, subset in (("beta", "N=9"), ("spammers", "spammers=6"))
    ]
    if any(any(row[1:]) for row in rows):
        filled = [row for row in rows if any(row[1:])]
        report.table("Right answers against kappa", ["", *map(str, range(1, 10))], filled)


def _estimators(report: Report, figures: Figures) -> None:
    subsets = [("beta", "N=7"), ("beta", "N=9"), ("spammers", "spammers=6"), ("copies", "N=9"), ("topics", "N=9"),
              ("turning", "N=9")]  # fmt: skip
    columns = [subset for subset in subsets if subset[0] in figures.settings()]
    names = ["oracle", "wmv", *figures.values("method", part="all")]
    methods = [name for name in dict.fromkeys(names) if "," in name or name in {"oracle", "wmv", "ra-rag"}]
    rows = [
        [
            method,
            *(
                figures.text("right", setting=setting, subset=subset, method=method, part="all")
                for setting, subset in columns
            ),
        ]
        for method in methods
    ]
    if columns:
        report.table(
            "Right answers by estimator (wmv, ra-rag: iwmv)",
            ["", *(f"{setting}, {subset}" for setting, subset in columns)],
            rows,
        )


def _reliability(report: Report, figures: Figures) -> None:
    counts = sorted({int(count) for count in figures.values("queries", part="reliability")})
    for setting, subset in (("beta", "N=9"), ("spammers", "spammers=6")):
        wanted = {"setting": setting, "subset": subset, "part": "reliability"}
        rows = [
            [method, name, *(figures.text(key, **wanted, method=method, queries=count) for count in counts)]
            for method in figures.values("method", part="reliability", setting=setting)
            for key, name in _LEARNED.items()
        ]
        if rows:
            report.table(f"Reliability against queries, {setting}, {subset}", ["", "", *map(str, counts)], rows)


def _readings(report: Report, figures: Figures) -> None:
    for reader in figures.values("reader"):
        rows = [
            [stance, method, *(figures.text(kind, subset=stance, method=method, part="reading", reader=reader)
                               for kind in READING_KINDS)]
            for stance in ("factual", "misinformation", "irrelevant")
            for method in ("as read", "aligned")
        ]  # fmt: skip
        if any(any(row[2:]) for row in rows):
            report.table(f"What a source was read to say, {reader}", ["passages", "", *READING_KINDS], rows)


def _variations(report: Report, figures: Figures) -> None:
    variations = [(setting, part) for setting, part in VARIATIONS if setting in figures.settings()]
    rows = [
        [
            NAMES[method],
            *(figures.text("right", setting=setting, method=method, part=part) for setting, part in variations),
        ]
        for method in METHODS
    ]
    if variations:
        columns = [setting if part == "all" else f"{setting}, {part}" for setting, part in variations]
        report.table("Right answers where sources copy, change or are poisoned", ["", *columns], rows)
    if "poison" in figures.settings():
        misled = [
            [NAMES[method], figures.text("misled", setting="poison", method=method, part="poisoned")]
            for method in METHODS
        ]
        report.table("Poisoned questions answered with a lie", ["", "share"], misled)


def _turning(report: Report, figures: Figures) -> None:
    """Right and false answers on documents from after the turn and on all."""
    kappa = f"kappa={KAPPA}"
    methods = ("oracle of both periods", "oracle", "wmv", "auto without drift, all", "auto, all", "ra-rag",
               f"auto without drift, {kappa}", f"auto, {kappa}", "majority")  # fmt: skip
    parts = (("late", "right"), ("late", "misled"), ("all", "right"), ("all", "misled"))
    rows = [
        [NAMES.get(method, method), *(figures.text(key, setting="turning", method=method, part=part)
                                      for part, key in parts)]
        for method in methods
    ]  # fmt: skip
    if "turning" in figures.settings():
        columns = ["late: right", "late: false", "all: right", "all: false"]
        report.table(f"Sources that turn ({figures.seeds('turning')} seeds)", ["", *columns], rows)


def _conflicts(report: Report, figures: Figures) -> None:
    """Shares of true and false answers on real conflicting passages."""
    for setting in sorted(CONFLICTS):
        subsets = figures.values("subset", setting=setting, part="all")
        wanted = {"setting": setting, "part": "all"}
        rows = [
            [NAMES[method], label, *(figures.text(key, **wanted, subset=subset, method=method) for subset in subsets)]
            for method in METHODS
            if method != "pooled"
            for key, label in (("true_wins", "true"), ("false_wins", "false"))
        ]
        if subsets:
            title = f"{setting}: which answer wins, nine sources ({figures.seeds(setting)} seeds)"
            report.table(title, ["", "", *subsets], rows)


def _seconds(report: Report, figures: Figures) -> None:
    subsets = figures.values("subset", part="seconds")
    rows = [
        [NAMES[method], name, *(figures.text(key, subset=subset, method=method, part="seconds") for subset in subsets)]
        for method in ("ra-rag", "wmv")
        for key, name in (("readings", "readings"), ("seconds", "seconds"))
    ]
    if subsets:
        report.table("A question put to sources never read before", ["", "", *subsets], rows)


_TABLES: Sequence[Callable[[Report, Figures], None]] = (
    _quick, _sources, _many, _spammers, _coverage, _orderings, _kappa, _estimators, _reliability, _readings,
    _variations, _turning, _conflicts, _seconds,
)  # fmt: skip
