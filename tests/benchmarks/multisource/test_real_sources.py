"""Real passages dealt out to sources, and real sites as sources."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness import Options, Report
from benchmarks.multisource import snopes
from benchmarks.multisource.conflicts import LOADERS, deal, load_conflictnq, load_poisonedrag, load_rgb, plan_of
from benchmarks.multisource.record import Question
from benchmarks.multisource.score import side
from benchmarks.multisource.snopes import Article, Stance, claim_votes, load_articles, truth_scores
from benchmarks.multisource.synthetic import Stance as Given
from benchmarks.multisource.synthetic import UnusableFacts
from estimator import estimate
from tests.tables import for_each


def _lines(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    _lines(
        tmp_path / "rgb" / "en_fact.json",
        [
            {
                "id": number,
                "query": f"Who won race {number}?",
                "answer": [["Ada Holt", "Holt"]],
                "fakeanswer": "Ivo Stamm",
                "positive": [f"Ada Holt won race {number}.", f"Race {number} went to Ada Holt."],
                "positive_wrong": [f"Ivo Stamm won race {number}.", f"Race {number} went to Ivo Stamm."],
                "negative": [f"Race {number} was long."],
            }
            for number in range(12)
        ],
    )
    poisoned = {"question": "who sang it", "correct answer": "Lena Quist", "incorrect answer": "Otto Brandt"}
    texts = ["It was sung by Otto Brandt.", "Otto Brandt, not Lena Quist, sang it.", "Nobody knows."]
    (tmp_path / "poisonedrag").mkdir()
    (tmp_path / "poisonedrag" / "nq.json").write_text(json.dumps({"t1": poisoned | {"adv_texts": texts}}), "utf-8")
    conflict = {
        "id": "1",
        "cleaned_question": "When was it built?",
        "real_short_answer": "May 3, 1901",
        "fake_short_answer": "1950",
        "real_passages": [{"passage": "It was built on May 3, 1901."}],
        "fake_passages": [{"passage": "Built in 1950."}, {"passage": "A fine tower."}],
    }
    long = conflict | {"id": "2", "real_short_answer": "because " * 20}
    _lines(tmp_path / "conflictnq" / "conflict_nq_val.jsonl", [conflict, long])
    return tmp_path


def test_conflicts_keep_what_can_be_told_apart(data: Path) -> None:
    assert set(LOADERS) == {"rgb", "poisonedrag", "conflictnq"}
    rgb = load_rgb(data)
    assert (len(rgb), rgb[0].fact.golds, rgb[0].fact.wrong) == (12, ("Ada Holt", "Holt"), ("Ivo Stamm",))
    (poisoned,) = load_poisonedrag(data)
    assert poisoned.false == ("It was sung by Otto Brandt.",)
    assert poisoned.true == ("It was sung by Lena Quist.",)
    (conflict,) = load_conflictnq(data)
    assert (conflict.true, conflict.false) == (("It was built on May 3, 1901.",), ("Built in 1950.",))


def test_sources_publish_the_passages_of_their_stance(data: Path) -> None:
    conflicts = load_rgb(data)
    plan = plan_of("rgb", len(conflicts))
    corpus = deal(plan, 1, conflicts)
    assert list(deal(plan, 1, conflicts).lines()) == list(corpus.lines())
    assert sum(item.is_test for item in corpus.items) == 6
    stances = [stance for item in corpus.items for stance in item.stances[:9] if stance is not Given.IRRELEVANT]
    assert stances.count(Given.MISINFORMATION) / len(stances) > 0.8
    by_id = {conflict.fact.id: conflict for conflict in conflicts}
    for source, publisher in enumerate(corpus.publishers):
        texts = {document.content for document in publisher.documents}
        for item in corpus.items:
            conflict = by_id[item.fact.id]
            allowed = {
                Given.FACTUAL: conflict.true,
                Given.MISINFORMATION: conflict.false,
                Given.IRRELEVANT: conflict.noise,
            }
            assert texts & {*conflict.true, *conflict.false, *conflict.noise} == set(allowed[item.stances[source]])
    with pytest.raises(UnusableFacts):
        deal(plan, 1, conflicts[:3])


@for_each(
    ("answer", "wins"),
    [
        ("Ada Holt", "true"),
        ("the racer Ada Holt", "true"),
        ("Stamm", "false"),
        ("a horse", "neither"),
        (None, "nothing"),
    ],
)
def test_an_answer_takes_the_side_it_shares_words_with(answer: str | None, wins: str) -> None:
    asked = Question(
        "?", ("Ada Holt",), True, 0.0, ("factual", "misinformation"), ("Ada Holt", "Ivo Stamm"), (), poisoned=False,
        pooled={},
    )  # fmt: skip
    assert side(asked, answer) == wins


def stance(site: str, claim: int, supports: float, contradicts: float, *, truth: bool, reports: float = 0.0) -> Stance:
    article = Article(f"{site}-{claim}-{supports}", str(claim), "A claim", site, "A text", truth)
    return Stance(article, supports, contradicts, reports, 1 - supports - contradicts - reports)


def test_the_surest_article_of_a_site_is_its_vote() -> None:
    data = claim_votes(
        [
            stance("a.example", 0, 0.7, 0.1, truth=True),
            stance("a.example", 0, 0.1, 0.8, truth=True),
            stance("b.example", 0, 0.9, 0.0, truth=True),
            stance("b.example", 1, 0.2, 0.2, truth=False),
            stance("b.example", 1, 0.3, 0.1, truth=False, reports=0.6),
        ]
    )
    assert data.sites == ("a.example", "b.example")
    assert [column.tolist() for column in data.votes.triples()] == [[0, 0], [0, 1], [snopes.FALSE, snopes.TRUE]]
    majority = estimate(data.votes, "majority")
    assert truth_scores(data, majority).tolist() == [0.5, 0.5]


def test_sites_that_are_right_are_found_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "snopes"
    folder.mkdir()
    header = "id_left\tcred_label\tclaim_id\tclaim_text\tclaim_source\tid_right\tevidence\tevidence_source"
    truth = {claim: "true" if claim % 3 == 0 else "false" for claim in range(40)}
    rows = [
        f"{claim}\t{label}\tc{claim}\tclaim {claim}\t \t{claim}-{site}\ttext\t{site}.example"
        for claim, label in truth.items()
        for site in "abcd"
    ]
    with gzip.open(folder / "fold_0.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join([header, *rows]))
    articles = load_articles(folder)
    assert len(articles) == 160
    random = np.random.default_rng(1)
    honest = {"a": 0.95, "b": 0.9, "c": 0.9, "d": 0.2}
    lines = []
    for article in articles:
        supports = article.truth == (random.random() < honest[article.site[0]])
        lines.append(json.dumps([article.id, 0.8 if supports else 0.1, 0.1 if supports else 0.8, 0.0, 0.1]))
    work = tmp_path / "work"
    work.mkdir()
    (work / snopes.STANCES).write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = Report(Options(data=tmp_path))
    snopes.measure(report, work)
    accuracy, sites, _intervals = report.tables
    assert [row[0] for row in accuracy.rows][-1] == "always false"
    assert [row[0] for row in sites.rows][-1] == "d.example"
    assert report.figures["snopes/auto/auc"] >= report.figures["snopes/majority/auc"] > 0.8
    assert report.figures["snopes/majority/balanced_accuracy"] > 0.8
    assert report.figures["snopes/sites_correlation"] > 0.9
    assert 0 <= report.figures["snopes/intervals_hold"] <= 1
