"""Real passages dealt out to sources, and real sites as sources."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.multisource import snopes
from benchmarks.multisource.record import Question
from benchmarks.multisource.score import side
from benchmarks.multisource.snopes import Article, Stance, claim_votes, truth_scores
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
