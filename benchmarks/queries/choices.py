"""What it brings to ask first what is worth most by the current run, instead of what comes next.

Two drawn corpora from which all queries are generated and read: one whose sources cover very unequal shares of the
facts, and one with few facts on one of two topics. Of queries drawn at random an estimate is made; out of four times as
many others as many again are chosen, by each preference and in the order in which they come; both are estimated anew.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.embedders.embedder import Vectors
from answering.questions.writing import written_questions
from benchmarks.harness import Report, progress
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.service import ServiceFailed
from benchmarks.multisource.synthetic import Document, Setting, SyntheticCorpus, build
from benchmarks.queries import worlds
from benchmarks.queries.estimates import estimated, ids_of
from estimator import Estimate, QueryTopics, VoteMatrix, estimate
from registry.estimations import store as estimations
from registry.estimations.store.votes import load_votes
from registry.passages import candidate_sources
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import QueryOrigin
from registry.query_generations import service as query_generation
from registry.query_generations.generation import MOST_SOURCES
from registry.query_generations.preferences import Preferences
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime
from registry.sources.store.estimates import current_run

DRAWS: Final = 12
ASKED: Final = 40
OUT_OF: Final = 4
# Shares of what a source would state that it states, least first.
COVERED: Final = (0.15, 0.24, 0.34, 0.43, 0.53, 0.62, 0.71, 0.81, 0.9)
RARE: Final = 0.18
"""Share of the facts of the rarer half of the subjects that are kept."""
COLUMNS: Final = ("corpus", "chosen by", "mean width", "widest", "correlation", "mean difference", "by topic")
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """M generated queries with what all N sources answer: (M, N) classes, -1 without one."""

    answers: Integers
    near: Sequence[Mapping[UUID, float]]
    vectors: Vectors
    source_ids: Sequence[UUID]
    truth: Floats
    """(N,) share of the statements of each source that are right."""
    topic: Integers
    """(M,) half of the subjects to which a query belongs."""
    truth_of_topic: Floats
    """(N, 2) the same in each half."""


async def measure_choices(report: Report, runtime: Runtime, facts: Sequence[Fact]) -> None:
    """Both corpora."""
    rows = []
    for name, synthetic in (("unequal coverage", uneven(facts)), ("a rare topic", skewed(facts))):
        read = await _read(runtime, synthetic)
        progress(f"{name}: {len(read.near)} queries read")
        for chosen_by, figures in _replayed(read).items():
            report.figures |= {
                f"choices/{name}/{chosen_by}/width": figures[0],
                f"choices/{name}/{chosen_by}/r": figures[2],
            }
            rows.append([name, chosen_by, *(f"{figure:.3f}" for figure in figures)])
            progress(" ".join(rows[-1]))
    report.table(f"{ASKED} queries, then {ASKED} out of {OUT_OF * ASKED} more; mean of {DRAWS} draws", COLUMNS, rows)


def uneven(facts: Sequence[Fact]) -> SyntheticCorpus:
    """Nine sources, the least of which states a sixth of what the largest does."""
    drawn = build(Setting("uneven", estimation=worlds.FACTS, test=1, coverage=0.9), 0, facts)
    shares = Random(5).sample(COVERED, len(COVERED))

    def keeps(number: int, fact_id: str) -> bool:
        return Random(f"{number}:{fact_id}").random() < shares[number]

    def kept(number: int, documents: Sequence[Document]) -> tuple[Document, ...]:
        return tuple(each for each in documents if keeps(number, each.external_id.rpartition("-")[0]))

    publishers = tuple(
        replace(each, documents=kept(number, each.documents)) for number, each in enumerate(drawn.publishers)
    )
    items = tuple(
        replace(
            item,
            published=tuple(said if keeps(at, item.fact.id) else None for at, said in enumerate(item.published)),
        )
        for item in drawn.items
    )
    return replace(drawn, publishers=publishers, items=items)


def skewed(facts: Sequence[Fact]) -> SyntheticCorpus:
    """Sources that know one half of the subjects each, and few facts of one half."""
    kept = [fact for fact in facts if _half(fact.title) or Random(fact.id).random() < RARE]
    return build(Setting("skewed", topics=True, estimation=len(kept) - 1, test=1), 0, kept)


def _half(title: str) -> int:
    """As `topics` of a `Setting` halves the subjects."""
    return hashlib.sha256(title.encode()).digest()[0] % 2


async def _read(runtime: Runtime, synthetic: SyntheticCorpus) -> Read:
    known = await worlds.publish(runtime, synthetic)
    parameters = GenerationParameters(queries=worlds.FACTS, max_readings=100_000, max_seconds=600)
    await query_generation.run_now(runtime, known.corpus, parameters)
    origin = QueryOrigin.GENERATED
    await estimated(runtime, known, origin, await ids_of(runtime, known.corpus, origin))
    async with runtime.database.begin() as session:
        run = await current_run(session, known.corpus)
        if run is None:
            raise ServiceFailed("an estimation left no run")
        sources = await estimations.sources_of(session, run)
        source_ids = [source.source_id for source in sources]
        votes = await load_votes(session, run.id, source_ids)
        page = await estimations.queries_of(session, run, cursor=None, limit=MAX_LIMIT)
        texts = {row.query_id: row.query_text for row in page.items}
    titles = {
        question: item.fact.title for item in synthetic.items for question, _ in written_questions(item.fact.sentence)
    }
    places = [place for place, query_id in enumerate(votes.query_ids) if texts[query_id] in titles]
    questions = [texts[votes.query_ids[place]] for place in places]
    vectors = await runtime.embedder.embed(questions)
    async with runtime.database.begin() as session:
        near = [
            await candidate_sources(session, known.corpus, question, vector, limit=MOST_SOURCES + 1)
            for question, vector in zip(questions, vectors, strict=True)
        ]
    answers = np.full((len(votes.query_ids), len(source_ids)), -1)
    query, source, answer = votes.votes.triples()
    answers[query, source] = answer
    numbers = [[each.name for each in synthetic.publishers].index(source.source_name) for source in sources]
    by_topic = np.array([[_share(synthetic, number, half) for half in (0, 1)] for number in numbers])
    truth = np.array([known.truth[source.source_name] for source in sources])
    topic = np.array([_half(titles[question]) for question in questions])
    return Read(answers[places], near, vectors, source_ids, truth, topic, by_topic)


def _share(synthetic: SyntheticCorpus, number: int, half: int) -> float:
    """Of the statements of a source on half of the subjects, those that are right."""
    said = [(row.published[number], row.fact) for row in synthetic.items if _half(row.fact.title) == half]
    right = [answer == fact.golds[0] for answer, fact in said if answer is not None]
    return sum(right) / max(len(right), 1)


def _replayed(read: Read) -> dict[str, Floats]:
    """The figures of `COLUMNS` by what chose, mean over the draws."""
    figures: defaultdict[str, list[Floats]] = defaultdict(list)
    for seed in range(DRAWS):
        order = np.random.default_rng(seed).permutation(len(read.near))
        start, others = order[:ASKED], order[ASKED : ASKED * (1 + OUT_OF)]
        estimate_of_start = _estimate(read, start)
        for chosen_by, preferences in _preferences(read, start, estimate_of_start).items():
            centre = read.vectors[start].mean(axis=0) if chosen_by in {"thin topics", "all three"} else None
            ranked = preferences.order([read.near[query] for query in others], read.vectors[others], centre)
            chosen = np.concatenate((start, others[ranked[:ASKED]]))
            figures[chosen_by].append(_figures(read, chosen, _estimate(read, chosen)))
    return {chosen_by: np.mean(drawn, axis=0) for chosen_by, drawn in figures.items()}


def _preferences(read: Read, start: Integers, result: Estimate) -> dict[str, Preferences]:
    """Each preference by itself, for which the others know nothing that tells facts apart, and all of them."""
    nothing = dict.fromkeys(read.source_ids, 0.0)
    widths = dict(zip(read.source_ids, (result.upper - result.lower).tolist(), strict=True))
    contradictions = {}
    for first, second in combinations(range(len(read.source_ids)), 2):
        said = read.answers[start][:, [first, second]]
        both = said[(said >= 0).all(axis=1)]
        share = (1 + (both[:, 0] != both[:, 1]).sum()) / (2 + len(both))
        contradictions[frozenset((read.source_ids[first], read.source_ids[second]))] = float(share)
    return {
        "what comes next": Preferences(nothing),
        "wide intervals": Preferences(widths),
        "disputed pairs": Preferences(nothing, contradictions),
        "thin topics": Preferences(nothing),
        "all three": Preferences(widths, contradictions),
    }


def _estimate(read: Read, queries: Integers) -> Estimate:
    answers = read.answers[queries]
    query, source = np.nonzero(answers >= 0)
    votes = VoteMatrix.from_triples(
        query, source, answers[query, source], query_count=len(queries), source_count=len(read.source_ids)
    )
    return estimate(votes, topics=QueryTopics(vectors=read.vectors[queries]))


def _figures(read: Read, queries: Integers, result: Estimate) -> Floats:
    """Mean and largest width, correlation, mean difference, and mean difference by source and half of the subjects."""
    width = result.upper - result.lower
    of_half = np.repeat(result.reliability[:, None], 2, axis=1)
    if result.topics is not None:
        for half in (0, 1):
            found = result.topics.topics.query_topic[read.topic[queries] == half]
            share = np.bincount(found, minlength=result.topics.topics.count) / max(len(found), 1)
            of_half[:, half] = result.topics.reliability @ share
    correlation = np.corrcoef(result.reliability, read.truth)[0, 1]
    difference = np.abs(result.reliability - read.truth).mean()
    by_topic = np.abs(of_half - read.truth_of_topic).mean()
    return np.array([np.nanmean(width), np.nanmax(width), correlation, difference, by_topic])
