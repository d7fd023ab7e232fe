"""Snopes: real claims, the real web sites that wrote about them, the compact judge's stances as votes.

A site that supports a claim votes `true`, one that contradicts it `false`, all others abstain, those that only report
it among them. The findings of Snopes are used only for claim accuracy and AUC.
"""

import asyncio
import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answering.errors import ModelDamaged
from answering.judges import Judge, Judgement, Pair
from answering.judges.compact import CompactJudge
from benchmarks.harness import CannotMeasureError, Cell, Report
from estimator import Estimate, VoteMatrix, estimate
from estimator.identifiability import allow_for_misreadings

STANCES = "snopes-verdicts.jsonl"
FALSE, TRUE = 0, 1
LABELS = 2
MANY_ARTICLES = 30
MANY_VOTES = 10
SHOWN = 10
BATCH = 64
METHODS = ("majority", "iwmv", "wawa", "one_coin", "dawid_skene", "auto")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Article:
    """What a site wrote on a claim; `truth` is what Snopes found of the claim."""

    id: str
    claim_id: str
    claim: str
    site: str
    text: str
    truth: bool


@dataclass(frozen=True, slots=True)
class Stance:
    """What the judge made of an article."""

    article: Article
    supports: float
    contradicts: float
    reports: float
    irrelevant: float


@dataclass(frozen=True, slots=True)
class ClaimVotes:
    """The votes of sites on claims. `truth[j]` is 1 where claim j is true.

    `confidence` (N,) is the mean probability of the verdicts that a site's votes come of; 1 for one without votes.
    """

    sites: tuple[str, ...]
    claims: tuple[str, ...]
    truth: NDArray[np.int64]
    votes: VoteMatrix
    confidence: Floats


def measure(report: Report, work: Path, *, read_only: bool = False) -> None:
    """Judge what is not judged yet, then let every estimator say which claims and which sites to believe."""
    folder = report.options.data / "snopes"
    if not folder.is_dir():
        report.rival_skipped("Snopes", f"no data set 'snopes' in {report.options.data}")
        return
    articles = load_articles(folder)
    stances = stored_stances(articles, work / STANCES) if read_only else judged(articles, work / STANCES)
    data = claim_votes(stances)
    if not data.votes.vote_count:
        report.rival_skipped("Snopes", "no stances yet; run without --report")
        return
    _report(report, data, stances)


def load_articles(folder: Path) -> list[Article]:
    """Every article of every fold, once."""
    articles = {
        row["id_right"]: Article(
            row["id_right"],
            row["claim_id"],
            row["claim_text"],
            row["evidence_source"],
            row["evidence"],
            row["cred_label"] == "true",
        )
        for path in sorted(folder.glob("fold_*.tsv.gz"))
        for row in _rows(path)
    }
    return list(articles.values())


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def stored_stances(articles: Sequence[Article], file: Path) -> list[Stance]:
    """The stances that the file holds."""
    if not file.exists():
        return []
    judgements = {row[0]: row[1:] for row in map(json.loads, file.read_text("utf-8").splitlines())}
    return [Stance(article, *judgements[article.id]) for article in articles if article.id in judgements]


def judged(articles: Sequence[Article], file: Path) -> list[Stance]:
    """All stances; what the file holds is not judged again. Raises `CannotMeasureError` without a judge's weights."""
    done = {stance.article.id for stance in stored_stances(articles, file)}
    missing = [article for article in articles if article.id not in done]
    if missing:
        try:
            asyncio.run(_judge(CompactJudge(), missing, file))
        except ModelDamaged as error:
            raise CannotMeasureError(str(error)) from error
    return stored_stances(articles, file)


async def _judge(judge: Judge, articles: Sequence[Article], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(articles), BATCH):
        batch = articles[start : start + BATCH]
        judgements = await judge.judge_all([Pair(article.claim, article.text) for article in batch])
        with file.open("a", encoding="utf-8") as out:
            out.writelines(_line(article, judgement) for article, judgement in zip(batch, judgements, strict=True))
    await judge.aclose()


def _line(article: Article, judgement: Judgement) -> str:
    return json.dumps([article.id, *judgement.probabilities.values()]) + "\n"


def claim_votes(stances: Sequence[Stance]) -> ClaimVotes:
    """One vote of a site on a claim: that of its surest article that takes a side."""
    claims = {stance.article.claim_id: stance.article.truth for stance in stances}
    sites = sorted({stance.article.site for stance in stances})
    surest: dict[tuple[str, str], tuple[float, int]] = {}
    for stance in stances:
        taken = max(stance.supports, stance.contradicts)
        if taken > max(stance.reports, stance.irrelevant):
            key = stance.article.claim_id, stance.article.site
            surest[key] = max(surest.get(key, (0.0, FALSE)), (taken, TRUE if stance.supports == taken else FALSE))
    names = list(claims)
    query_index, source_index = {name: at for at, name in enumerate(names)}, {site: at for at, site in enumerate(sites)}
    triples = [(query_index[claim], source_index[site], vote) for (claim, site), (_, vote) in surest.items()]
    query, source, answer = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    votes = VoteMatrix.from_triples(query, source, answer, query_count=len(names), source_count=len(sites))
    probabilities = np.bincount(source, weights=[taken for taken, _ in surest.values()], minlength=len(sites))
    count = np.bincount(source, minlength=len(sites))
    confidence = np.divide(probabilities, count, out=np.ones(len(sites)), where=count > 0)
    return ClaimVotes(tuple(sites), tuple(names), np.array(list(claims.values()), dtype=np.int64), votes, confidence)


def truth_scores(data: ClaimVotes, estimated: Estimate) -> Floats:
    """How true each claim looks, in [0, 1]: its probability, or its share of the weight; 0.5 without votes."""
    counted = np.where(np.isnan(estimated.posterior), _weights(data, estimated), estimated.posterior)
    scores = np.full((len(data.claims), LABELS), np.nan)
    scores[data.votes.class_query, data.votes.class_answer] = counted
    present = np.nan_to_num(scores, nan=0.0)
    total = present.sum(axis=1)
    shares: Floats = np.divide(present[:, TRUE], total, out=np.full(len(total), 0.5), where=total > 0)
    return shares


def _weights(data: ClaimVotes, estimated: Estimate) -> Floats:
    """What the votes of each class weigh together, nothing below 0."""
    weight = np.maximum(estimated.weight, 0.0)[data.votes.source]
    summed: Floats = np.add.reduceat(weight, data.votes.class_start[:-1]) if weight.size else np.zeros(0)
    return summed


def auc(scores: Floats, truth: NDArray[np.int64]) -> float:
    """The probability that a true claim scores above a false one, ties counting half (Mann and Whitney 1947)."""
    true, false = scores[truth == TRUE], scores[truth == FALSE]
    above = (true[:, None] > false[None, :]).mean() + 0.5 * (true[:, None] == false[None, :]).mean()
    return float(above)


def balanced_accuracy(scores: Floats, truth: NDArray[np.int64]) -> float:
    """The mean share judged right of true and of false claims; a score of 0.5 judges a claim false."""
    recalls = [((scores[truth == label] > 0.5) == label).mean() for label in (FALSE, TRUE) if (truth == label).any()]
    return float(np.mean(recalls))


def _report(report: Report, data: ClaimVotes, stances: Sequence[Stance]) -> None:
    voted = np.unique(data.votes.class_query).astype(np.int64)
    contested = _contested(data)
    rows: list[list[Cell]] = []
    estimates: dict[str, Estimate] = {}
    for method in METHODS:
        estimates[method] = estimate(data.votes, method, labels=LABELS)
        scores = truth_scores(data, estimates[method])
        rows.append([str(method), *(_figures(data, scores, queries) for queries in (voted, contested))])
        report.figure(f"snopes/{method}/auc", auc(scores[voted], data.truth[voted]))
        report.figure(f"snopes/{method}/balanced_accuracy", balanced_accuracy(scores[voted], data.truth[voted]))
    always = f"{1 - data.truth[voted].mean():.3f} / 0.500 / 0.500"
    rows.append(["always false", always, f"{1 - data.truth[contested].mean():.3f} / 0.500 / 0.500"])
    report.table(
        f"Snopes: {len(data.claims):,} claims, {len(stances):,} articles, {data.votes.vote_count:,} votes of "
        f"{len(data.sites):,} sites; accuracy / balanced accuracy / AUC",
        ["estimator", f"{len(voted):,} claims with votes", f"{len(contested):,} where sites disagree"],
        rows,
    )
    _sites(report, data, stances, estimates["auto"])
    _intervals(report, data, estimates["auto"])


def _intervals(report: Report, data: ClaimVotes, estimated: Estimate) -> None:
    """How often an interval holds the share of right votes, of sites with enough votes for a share."""
    query, source, answer = data.votes.triples()
    right = np.bincount(source, weights=answer == data.truth[query], minlength=len(data.sites))
    counted = estimated.vote_count >= MANY_VOTES
    if not counted.any():
        return
    share = right[counted] / estimated.vote_count[counted]
    served = allow_for_misreadings(estimated, data.confidence)
    rows: list[list[Cell]] = []
    for name, figure, result in (
        ("of the votes alone", "snopes/intervals_of_votes_hold", estimated),
        ("as the service widens them", "snopes/intervals_hold", served),
    ):
        holds = float(((result.lower[counted] <= share) & (share <= result.upper[counted])).mean())
        report.figure(figure, holds)
        rows.append([name, f"{(result.upper - result.lower)[counted].mean():.3f}", f"{holds:.3f}"])
    report.table(
        f"Snopes: 90 % intervals of {counted.sum():,} sites with {MANY_VOTES} votes or more by auto; their mean "
        f"estimate is {estimated.reliability[counted].mean():.3f}, their mean share of right votes {share.mean():.3f}",
        ["intervals", "mean width", "hold the share"],
        rows,
    )


def _contested(data: ClaimVotes) -> NDArray[np.int64]:
    queries, counts = np.unique(data.votes.class_query, return_counts=True)
    contested: NDArray[np.int64] = queries[counts == LABELS].astype(np.int64)
    return contested


def _figures(data: ClaimVotes, scores: Floats, queries: NDArray[np.int64]) -> str:
    if not queries.size:
        return ""
    shown, truth = scores[queries], data.truth[queries]
    accuracy = ((shown > 0.5) == truth).mean()
    return f"{accuracy:.3f} / {balanced_accuracy(shown, truth):.3f} / {auc(shown, truth):.3f}"


def _sites(report: Report, data: ClaimVotes, stances: Sequence[Stance], estimated: Estimate) -> None:
    """The best and the worst of the sites with many articles, with what Snopes' findings say of their votes."""
    articles: defaultdict[str, int] = defaultdict(int)
    for stance in stances:
        articles[stance.article.site] += 1
    query, source, answer = data.votes.triples()
    right = answer == data.truth[query]
    rows = []
    for index, site in enumerate(data.sites):
        own_votes = source == index
        if articles[site] >= MANY_ARTICLES and own_votes.any():
            rows.append(
                (
                    float(estimated.reliability[index]),
                    site,
                    articles[site],
                    int(own_votes.sum()),
                    float(right[own_votes].mean()),
                )
            )
    ranked = sorted(rows, reverse=True)
    shown = ranked if len(ranked) <= 2 * SHOWN else [*ranked[:SHOWN], *ranked[-SHOWN:]]
    report.table(
        f"Snopes: best and worst of the {len(ranked)} sites with {MANY_ARTICLES} articles or more that voted, by auto",
        ["site", "articles", "votes", "estimated", "votes right by Snopes"],
        [[site, count, votes, f"{estimated:.3f}", f"{share:.3f}"] for estimated, site, count, votes, share in shown],
    )
    if len(ranked) > 2:
        values = np.array([(estimated, share) for estimated, _, _, _, share in ranked])
        report.figure("snopes/sites_correlation", float(np.corrcoef(values.T)[0, 1]))
