"""How many texts of different sites are near-duplicates, at half and double of the resemblance that makes them so.

Real articles about the claims that Snopes checked: sites that write about one claim sometimes republish each other,
those that write about different claims do not. Copies are drawn by replacing a share of the words of an article.
"""

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import CannotMeasureError, Report
from benchmarks.multisource.snopes import Article, load_articles
from registry.documents.minhash import NEAR_DUPLICATE, PLACES, signature

_RESEMBLANCES = (NEAR_DUPLICATE / 2, NEAR_DUPLICATE, (1 + NEAR_DUPLICATE) / 2)
_CHANGED = (0.02, 0.05, 0.1)
_OTHER_PAIRS, _COPIES = 2_000_000, 3_000

Floats = NDArray[np.float64]
Places = NDArray[np.uint32]


def measure_passages(report: Report) -> None:
    """A row for each resemblance: shares of pairs that are near-duplicates."""
    try:
        folder = report.folder("snopes")
    except CannotMeasureError as reason:
        report.rival_skipped("near-duplicate passages", str(reason))
        return
    random = np.random.default_rng(0)
    signed = [(article, mark) for article in load_articles(folder) if (mark := signature(article.text))]
    articles, places = [article for article, _ in signed], _places([mark for _, mark in signed])
    same, other = _pairs_by_claim(articles, places, random)
    copies = [_copied([article.text for article in articles[:_COPIES]], share, random) for share in _CHANGED]
    columns = [same, other, *copies]
    report.table(
        f"Near-duplicates among {len(articles):,} articles",
        ["resemblance", "one claim", "other claims", *(f"{share:.0%} of words changed" for share in _CHANGED)],
        [[f"{least:.2f}", *(f"{(column >= least).mean():.2g}" for column in columns)] for least in _RESEMBLANCES],
    )
    for least in _RESEMBLANCES:
        report.figure(f"passages.{least:.2f}.other", float((other >= least).mean()))


def _places(marks: list[bytes]) -> Places:
    return np.frombuffer(b"".join(marks), dtype="<u4").reshape(-1, PLACES).astype(np.uint32)


def _pairs_by_claim(articles: list[Article], places: Places, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Resemblances of all pairs of articles of different sites on one claim, and of drawn pairs on different claims."""
    claim, site = (
        np.array(column) for column in zip(*((article.claim_id, article.site) for article in articles), strict=True)
    )
    order = np.argsort(claim, kind="stable")
    groups = np.split(order, np.flatnonzero(claim[order][1:] != claim[order][:-1]) + 1)
    pairs = np.concatenate([group[np.stack(np.triu_indices(group.size, 1))] for group in groups], axis=1)
    drawn = random.integers(len(articles), size=(2, _OTHER_PAIRS))
    pairs, drawn = pairs[:, site[pairs[0]] != site[pairs[1]]], drawn[:, site[drawn[0]] != site[drawn[1]]]
    drawn = drawn[:, claim[drawn[0]] != claim[drawn[1]]]
    same, other = ((places[left] == places[right]).mean(axis=1) for left, right in (pairs, drawn))
    return same, other


def _copied(texts: list[str], share: float, random: np.random.Generator) -> Floats:
    """Resemblance of each text to itself with a share of its words replaced."""
    changed = [
        " ".join(f"w{random.integers(1_000)}" if random.random() < share else word for word in text.split())
        for text in texts
    ]
    return np.array((_places(_marks(texts)) == _places(_marks(changed))).mean(axis=1))


def _marks(texts: list[str]) -> list[bytes]:
    return [signature(text) or bytes(4 * PLACES) for text in texts]
