"""Near-duplicate passages are found among others, and are a witness of copying; none of them is dropped."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sqlalchemy import func, select

from estimator.copying.near_duplicates import near_duplicate_evidence, near_duplicates
from registry.corpora.model import Corpus
from registry.documents.extraction import NEAR_DUPLICATE, PLACES, SIZE, signature
from registry.documents.model import Passage
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations.estimator_inputs import copy_evidence
from registry.estimations.store.votes import load_votes
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.registry.estimations.test_service import finished
from tests.registry.world import colour_reader

VOCABULARY = tuple(
    f"{head}{tail}" for head in ("ka", "lo", "mi", "nu", "re", "so") for tail in ("ta", "vel", "x", "rin")
)


def words(seed: int, count: int = 60) -> list[str]:
    return [str(word) for word in np.random.default_rng(seed).choice(VOCABULARY, count)]


def places(*texts: list[str]) -> NDArray[np.uint32]:
    marks = [signature(" ".join(text)) or b"" for text in texts]
    return np.frombuffer(b"".join(marks), dtype="<u4").reshape(-1, PLACES).astype(np.uint32)


@given(st.integers(0, 10**6), st.integers(0, 30))
@settings(max_examples=30, deadline=None)
def test_signatures_agree_as_often_as_runs_of_words_are_shared(seed: int, cut: int) -> None:
    """With 32 places the standard error of the share is 0.09 at most."""
    original, copy = words(seed, 80), words(seed, 80)[: 80 - cut] + words(seed + 1, cut)
    runs = [{tuple(text[at : at + 4]) for at in range(len(text) - 3)} for text in (original, copy)]
    share = len(runs[0] & runs[1]) / len(runs[0] | runs[1])
    marks = places(original, copy)
    assert (marks[0] == marks[1]).mean() == pytest.approx(share, abs=0.45)


def test_case_and_punctuation_do_not_count_and_short_texts_have_no_signature() -> None:
    text = words(3)
    assert signature(" ".join(text)) == signature(", ".join(text).upper() + "!")
    assert len(signature(" ".join(text)) or b"") == SIZE
    assert signature("Gannet Sound separates Skerrow from Velmarra.") is None


def test_near_duplicates_are_found_among_others() -> None:
    """Passage 1 is passage 0 with one word changed, passage 4 is 3 word for word but of the same source."""
    changed = words(1)
    changed[30] = "other"
    texts = [words(1), changed, words(2), words(4), words(4), *(words(seed) for seed in range(10, 60))]
    source = np.array([0, 1, 1, 2, 2, *range(3, 53)])
    first, second = near_duplicates(source, places(*texts), NEAR_DUPLICATE)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1)]


def test_what_everybody_publishes_is_no_near_duplicate_evidence() -> None:
    assert near_duplicate_evidence(np.arange(60), places(*[words(1)] * 60), 60, NEAR_DUPLICATE) is None
    assert near_duplicate_evidence(np.zeros(0, dtype=np.int64), places(), 3, NEAR_DUPLICATE) is None


def test_log_odds_are_those_of_any_share_against_the_share_of_other_pairs() -> None:
    """Of ten passages of sources 1, 2 and 3, the first ten, three and one are those of source 0, and 16 write alone."""
    texts, source = [words(seed) for seed in range(10)], [0] * 10
    for name, shared in ((1, 10), (2, 3), (3, 1), *((name, 0) for name in range(4, 20))):
        texts += [words(seed) if seed < shared else words(100 * name + seed) for seed in range(10)]
        source += [name] * 10
    evidence = near_duplicate_evidence(np.array(source), places(*texts), 20, NEAR_DUPLICATE)
    assert evidence is not None
    pairs = zip(np.asarray(evidence.first).tolist(), np.asarray(evidence.second).tolist(), strict=True)
    odds = dict(zip(pairs, np.asarray(evidence.log_odds).tolist(), strict=True))
    by_chance = (19 - 10 + 1) / (1_900 - 10 + 2)  # 19 near-duplicates among 190 pairs of ten passages
    assert odds[0, 1] == pytest.approx(-10 * np.log(by_chance) - np.log(11))
    assert 0 < odds[0, 2] < odds[0, 1]
    assert (0, 3) not in odds or odds[0, 3] < odds[0, 2]
    assert (4, 5) not in odds


async def test_passages_keep_their_signatures_and_their_sources(runtime: Runtime, corpus: Corpus) -> None:
    """Two sources publish the same five articles, a third others: the pair is named, and nothing is dropped."""
    reading = replace(runtime, reader=colour_reader())
    stated = {"herald": range(5), "mirror": range(5), "times": range(20, 25)}
    for name, seeds in stated.items():
        async with runtime.database.begin() as session:
            source = await sources.create(session, corpus, SourceInput(external_id=name, name=name))
        articles = [
            DocumentInput(external_id=str(seed), title="", content=" ".join(words(seed)) + ".") for seed in seeds
        ]
        articles.append(DocumentInput(external_id="short", title="", content="The tower of Brin is painted red."))
        await ingest(runtime, corpus, source.id, articles)
    async with runtime.database.begin() as session:
        await queries.create(session, corpus, QueryInput(external_id="q", text="What colour is the tower of Brin?"))
    run = await finished(reading, corpus)
    async with runtime.database.begin() as session:
        names = (await sources.page(session, corpus, cursor=None, limit=10, status=None)).items
        run_votes = await load_votes(session, run.id, [source.id for source in names])
        evidence = await copy_evidence(session, run_votes)
        marked = (await session.scalars(select(func.octet_length(Passage.signature)))).all()
    assert sorted(marked, key=lambda size: size or 0) == [None] * 3 + [SIZE] * 15
    assert evidence is not None
    pairs = zip(np.asarray(evidence.first).tolist(), np.asarray(evidence.second).tolist(), strict=True)
    assert [{names[first].external_id, names[second].external_id} for first, second in pairs] == [{"herald", "mirror"}]
