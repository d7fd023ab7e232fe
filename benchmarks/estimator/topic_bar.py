"""How probable the topic of a question must be for the reliabilities on it to count:
`python -m benchmarks.estimator.topic_bar`.

Drawn worlds whose questions are on subjects that queries were on, on other ones, or hard to place; drawn votes on the
articles of XQuAD with the embeddings that the service computes, on articles that queries were on and on others; and
what the publishers of the demo corpus state, a fifth of its queries at a time. The four most reliable sources answer.
Seeds 500 and up chose the bar; results are those of seeds 0 and up.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answering.embedders.wordllama import WordLlamaEmbedder
from answering.equivalence import answer_key
from api.demo.corpus import load_corpus
from benchmarks.data.squad import load_squad
from benchmarks.estimator import BENCHMARK
from benchmarks.estimator.topics import WORLDS, elected
from benchmarks.harness import Report, progress, run
from estimator import QueryTopics, VoteMatrix, estimate
from estimator.topics import topic_probabilities
from estimator.weights import log_odds
from registry.estimations.topics.store import LEAST_PROBABILITY, NEAREST_PASSAGES, PASSAGE_WEIGHT
from tests.estimator.topics.synthetic import TopicScenario, draw_topics, draw_votes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Vectors = NDArray[np.float32]

# Without a bar, half and double of the bar, what lies between; beyond 1 no topic counts.
BARS = (0.0, LEAST_PROBABILITY / 2, 0.5, LEAST_PROBABILITY, 0.7, 0.8, 0.9, 2 * LEAST_PROBABILITY)
CHOOSING_SEED = 500
DRAWN = ("2 topics, 200 queries", "3 topics, 400 queries", "2 topics, 0.8 and 0.5")
# Standard deviation of embeddings within a subject that makes subjects hard to tell apart.
HARD_TO_PLACE = 1.5
ARTICLES = Path("reader_train") / "xquad.en.json.gz"
ARTICLE_QUESTIONS = 400
# The passages of nine sources that are nearest to a question are about so many different ones.
DIFFERENT_PASSAGES = 3
FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Votes on M queries, of which some estimate and the others are questions."""

    votes: VoteMatrix
    truth: Integers
    vectors: Vectors
    is_learned: Flags
    given: Integers | None = None
    """The topics that the caller gave."""


Draw = Callable[[int], Sequence[World]]


def measure_bar(report: Report) -> None:
    """Right answers by the bar, on the seeds that chose it and on others."""
    seeds = 2 if report.options.quick else report.options.seeds
    for title, first in (("that chose it", CHOOSING_SEED), ("of results", 0)):
        rows = []
        for name, draw in _worlds(report.options.data).items():
            drawn = (_right_by_bar(world) for seed in range(first, first + seeds) for world in draw(seed))
            shares = [share for share in drawn if share is not None]
            if shares:
                right = np.mean(shares, axis=0)
                rows.append([name, str(len(shares)), *(f"{share:.3f}" for share in right)])
                report.figure(f"topic bar.{title}.{name}", float(right[BARS.index(LEAST_PROBABILITY)]))
            progress(f"{title}: {name}")
        columns = ["world", "samples with topics", *(f"{bar:g}" for bar in BARS)]
        report.table(f"Right answers by the bar for the topic of a question, seeds {title}", columns, rows)


def _right_by_bar(world: World) -> list[float] | None:
    """Right answers with each bar; None where the votes speak for one topic."""
    learned, asked = world.is_learned, ~world.is_learned
    topics = QueryTopics(None if world.given is None else world.given[learned], world.vectors[learned])
    result = estimate(_part(world.votes, learned), "one_coin", topics=topics)
    if result.topics is None:
        return None
    found, votes = result.topics.topics, _part(world.votes, asked)
    similarity = world.vectors[asked] @ np.asarray(found.centroids).T
    probabilities = topic_probabilities(similarity, found.share, found.cluster_size)
    on_topic = probabilities @ result.topics.reliability.T

    def right(bar: float) -> float:
        is_sure = probabilities.max(axis=1) >= bar
        reliability = np.where(is_sure[:, None], on_topic, result.reliability)
        weight = log_odds(reliability) + np.log(max(result.labels - 1, 1))
        return float((elected(votes, weight) == world.truth[asked]).mean())

    return [right(bar) for bar in BARS]


def _part(votes: VoteMatrix, kept: Flags) -> VoteMatrix:
    """The votes on these queries, which are numbered anew."""
    query, source, answer = votes.triples()
    chosen, number = kept[query], np.cumsum(kept) - 1
    return VoteMatrix.from_triples(
        number[query[chosen]],
        source[chosen],
        answer[chosen],
        query_count=int(kept.sum()),
        source_count=votes.source_count,
    )


def _worlds(data: Path) -> Mapping[str, Draw]:
    worlds: dict[str, Draw] = {}
    for name in DRAWN:
        worlds[name] = partial(_drawn, WORLDS[name])
        worlds[f"{name}, hard to place"] = partial(_drawn, replace(WORLDS[name], spread=HARD_TO_PLACE))
        worlds[f"{name}, other subjects"] = partial(_drawn, WORLDS[name], are_other=True)
    if (data / ARTICLES).is_file():
        worlds["articles"] = partial(_on_articles, data / ARTICLES)
        worlds["other articles"] = partial(_on_articles, data / ARTICLES, are_other=True)
    return {**worlds, "demo": _of_demo}


def _drawn(scenario: TopicScenario, seed: int, *, are_other: bool = False) -> Sequence[World]:
    sample = draw_topics(scenario, np.random.default_rng(seed))
    learned = np.arange(sample.truth.size) < sample.truth.size // 2
    if are_other:
        learned = sample.subject < scenario.subjects // 2
    return [World(sample.votes, sample.truth, sample.vectors, learned)]


def _on_articles(path: Path, seed: int, *, are_other: bool = False) -> Sequence[World]:
    """Sources that know one half of the articles, taken at random."""
    vectors, article = _articles(path)
    random = np.random.default_rng(seed)
    chosen = random.permutation(article.size)[:ARTICLE_QUESTIONS]
    of_topic = random.permutation(int(article.max()) + 1) % 2
    votes, truth, _ = draw_votes(TopicScenario(), of_topic[article[chosen]], random)
    learned = np.arange(chosen.size) < chosen.size // 2
    if are_other:
        learned = (random.permutation(of_topic.size) % 2 == 0)[article[chosen]]
    return [World(votes, truth, vectors[chosen], learned)]


@cache
def _articles(path: Path) -> tuple[Vectors, Integers]:
    """The embeddings of all questions with the passages nearest to them, and the article of each."""
    examples = load_squad(path)
    passages = sorted({example.passage for example in examples})
    vectors = _embedded([example.question for example in examples], passages, DIFFERENT_PASSAGES)
    return vectors, np.unique([example.topic for example in examples], return_inverse=True)[1]


def _of_demo(seed: int) -> Sequence[World]:
    corpus = load_corpus()
    asked, sources = [*corpus.queries, *corpus.questions], [source.external_id for source in corpus.sources]
    number = {query.external_id: index for index, query in enumerate(asked)}
    stated = [(statement, answer_key(statement.answer)) for statement in corpus.statements]
    classes = {key: index for index, key in enumerate(sorted({key for _, key in stated}))}
    truth = np.full(len(asked), -1)
    for statement, key in stated:
        if statement.right:
            truth[number[statement.query]] = classes[key]
    votes = VoteMatrix.from_triples(
        [number[statement.query] for statement, _ in stated],
        [sources.index(statement.source) for statement, _ in stated],
        [classes[key] for _, key in stated],
        query_count=len(asked),
        source_count=len(sources),
    )
    given = np.unique([query.topic for query in asked], return_inverse=True)[1]
    fold = np.random.default_rng(seed).permutation(len(asked)) % FOLDS
    return [World(votes, truth, _demo_vectors(), fold != number, given) for number in range(FOLDS)]


@cache
def _demo_vectors() -> Vectors:
    corpus = load_corpus()
    texts = [query.text for query in (*corpus.queries, *corpus.questions)]
    return _embedded(texts, [document.content for document in corpus.documents], NEAREST_PASSAGES)


def _embedded(texts: Sequence[str], passages: Sequence[str], count: int) -> Vectors:
    """The embeddings of texts, each combined with those of so many passages as the service does."""
    embed = WordLlamaEmbedder().embed
    vectors, candidates = asyncio.run(embed(texts)), asyncio.run(embed(passages))
    nearest = np.argsort(-(vectors @ candidates.T), axis=1)[:, :count]
    total = vectors + PASSAGE_WEIGHT * candidates[nearest].mean(axis=1)
    combined: Vectors = (total / np.linalg.norm(total, axis=1, keepdims=True)).astype(np.float32)
    return combined


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="estimator.topic_bar"), measure_bar))
