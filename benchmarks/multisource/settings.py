"""The synthetic corpora of the benchmark, and which of their sources make up which point of a figure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from benchmarks.multisource.synthetic import Prior, Setting

SPAMMERS = tuple(range(9))
COUNTS = tuple(range(3, 10))
MANY = (20, 50, 200)
# The rivals without sources read anew for every point, so they are measured at fewer of them.
POOLED_COUNTS = (3, 5, 7, 9)
POOLED_SPAMMERS = (0, 3, 5, 6, 7, 8)
COVERAGES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """A setting and the subsets of its sources that are scored."""

    setting: Setting
    subsets: Mapping[str, tuple[int, ...]]
    naive: tuple[str, ...]
    """Subsets for which naive RAG is measured."""
    pooled: tuple[str, ...] = ()
    """Subsets for which one reader reads the top passages of all sources at once."""
    seeds: int | None = None
    """The most seeds; None for as many as the command asks for."""


def _first(count: int) -> tuple[int, ...]:
    return tuple(range(count))


def spammer_subset(spammers: int) -> tuple[int, ...]:
    """Nine of the eighteen sources, of which so many are spammers."""
    return (*range(spammers), *range(9, 18 - spammers))


def coverage_name(coverage: float) -> str:
    """The setting of nine sources with this coverage: `coverage-60`."""
    return f"coverage-{100 * coverage:.0f}"


def _one_subset(setting: Setting, *, seeds: int | None = None) -> Plan:
    name = f"N={setting.sources}"
    return Plan(setting, {name: _first(setting.sources)}, (name,), (name,), seeds)


PLANS: Mapping[str, Plan] = {
    "beta": Plan(
        Setting("beta"),
        {f"N={count}": _first(count) for count in COUNTS},
        tuple(f"N={count}" for count in POOLED_COUNTS),
        ("N=9",),
    ),
    "spammers": Plan(
        Setting("spammers", sources=18, prior=Prior.SPAMMER_HAMMER, spammers=9),
        {f"spammers={count}": spammer_subset(count) for count in SPAMMERS},
        tuple(f"spammers={count}" for count in POOLED_SPAMMERS),
        ("spammers=3", "spammers=6"),
    ),
    "copies": _one_subset(Setting("copies", copiers=3)),
    "topics": _one_subset(Setting("topics", topics=True)),
    "turning": _one_subset(Setting("turning", turning=3)),
    "poison": _one_subset(Setting("poison", poisoned=0.5)),
    "many": Plan(
        Setting("many", sources=max(MANY), test=100),
        {f"N={count}": _first(count) for count in MANY},
        (),
        seeds=3,
    ),
    **{
        coverage_name(coverage): _one_subset(Setting(coverage_name(coverage), coverage=coverage), seeds=3)
        for coverage in COVERAGES
    },
}
"""The full benchmark."""


def quick() -> Plan:
    """One small corpus of six sources, two of them spammers."""
    setting = Setting("quick", sources=6, prior=Prior.SPAMMER_HAMMER, spammers=2, estimation=30, test=24)
    return _one_subset(setting)


def shrunk(plan: Plan, *, estimation: int | None, test: int | None) -> Plan:
    """The plan with fewer questions, for a slow reader."""
    setting = plan.setting
    return replace(
        plan,
        setting=replace(
            setting,
            estimation=min(estimation or setting.estimation, setting.estimation),
            test=min(test or setting.test, setting.test),
        ),
    )
