"""Which side an answer takes, and the votes of real sites."""

from benchmarks.multisource import snopes
from benchmarks.multisource.record import Question
from benchmarks.multisource.score import side
from benchmarks.multisource.snopes import Article, Stance, claim_votes, truth_scores
from estimator import estimate
from tests.tables import for_each


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
