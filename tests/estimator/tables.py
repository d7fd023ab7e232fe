"""Small tables of votes, and a reference implementation in exact fractions.

It follows the formulas literally, with loops; the estimator must agree with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from estimator import NegativeWeights, TiePolicy, VoteMatrix

Table = Mapping[tuple[int, int], int]  # (query, source) -> answer


@dataclass(frozen=True, slots=True)
class Case:
    """A table with its numbers of queries and sources."""

    table: dict[tuple[int, int], int]
    query_count: int
    source_count: int

    def votes(self) -> VoteMatrix:
        """The same votes as the estimator takes them."""
        return matrix(self.table, self.query_count, self.source_count)


def matrix(table: Table, query_count: int, source_count: int) -> VoteMatrix:
    """The votes of a table, in the order of the table."""
    queries, sources = [query for query, _ in table], [source for _, source in table]
    return VoteMatrix.from_triples(
        queries, sources, list(table.values()), query_count=query_count, source_count=source_count
    )


def rows(lines: str) -> Case:
    """A case from text: a line is a query, a column a source, `-` an abstention."""
    cells = [line.split() for line in lines.strip().splitlines()]
    table = {
        (query, source): int(cell)
        for query, line in enumerate(cells)
        for source, cell in enumerate(line)
        if cell != "-"
    }
    return Case(table, len(cells), len(cells[0]))


@st.composite
def cases(draw: st.DrawFn, answers: int = 3) -> Case:
    """Small cases with many ties: up to 6 queries, 5 sources, and `answers` answers."""
    query_count, source_count = draw(st.integers(0, 6)), draw(st.integers(0, 5))
    pairs = [(query, source) for query in range(query_count) for source in range(source_count)]
    choice = st.one_of(st.none(), st.integers(0, answers - 1))
    drawn = draw(st.lists(choice, min_size=len(pairs), max_size=len(pairs)))
    table = {pair: answer for pair, answer in zip(pairs, drawn, strict=True) if answer is not None}
    return Case(table, query_count, source_count)


@dataclass(frozen=True, slots=True)
class Plain:
    """What the plain estimate found."""

    reliability: list[Fraction | None]
    weight: list[Fraction]
    answer: list[int]
    margin: list[Fraction]
    tied: list[bool]
    rounds: int


@dataclass(frozen=True, slots=True)
class PlainRules:
    """The policies of a plain estimate; a silent source is None and weighs nothing."""

    method: str
    labels: int
    ties: TiePolicy
    negative_weights: NegativeWeights


def plain_estimate(case: Case, rules: PlainRules) -> Plain:
    """Li & Yu 2014 as RA-RAG section 3.3 states it, with exact numbers."""
    weight = [Fraction(1)] * case.source_count
    reliability: list[Fraction | None] = []
    rounds = 0
    while True:
        before = reliability
        reliability = _reliability(case, _winners(case, weight, rules.ties))
        rounds += 1
        if rules.method == "majority" or reliability == before:
            break
        weight = [_weight(share, rules) for share in reliability]
    answer = _winners(case, weight, rules.ties)
    leads = [_lead(case, query, weight) for query in range(case.query_count)]
    margins, tied = [margin for margin, _ in leads], [tie for _, tie in leads]
    return Plain(reliability, weight, answer, margins, tied, rounds)


def _scores(case: Case, query: int, weight: list[Fraction]) -> dict[int, Fraction]:
    scores: dict[int, Fraction] = {}
    for (other, source), answer in case.table.items():
        if other == query:
            scores[answer] = scores.get(answer, Fraction(0)) + weight[source]
    return scores


def _winners(case: Case, weight: list[Fraction], ties: TiePolicy) -> list[int]:
    return [_winner(case, query, weight, ties) for query in range(case.query_count)]


def _winner(case: Case, query: int, weight: list[Fraction], ties: TiePolicy) -> int:
    scores = _scores(case, query, weight)
    heaviest = sorted(answer for answer, score in scores.items() if score == max(scores.values()))
    if not heaviest or (len(heaviest) > 1 and ties is TiePolicy.NO_ANSWER):
        return -1
    voters = _scores(case, query, [Fraction(1)] * case.source_count)
    if ties is TiePolicy.SUPPORTERS:
        return max(heaviest, key=lambda answer: (voters[answer], -answer))
    return heaviest[0]


def _reliability(case: Case, winners: list[int]) -> list[Fraction | None]:
    shares: list[Fraction | None] = []
    for source in range(case.source_count):
        mine = {query: answer for (query, other), answer in case.table.items() if other == source}
        judged = [query for query in mine if winners[query] >= 0]
        right = sum(mine[query] == winners[query] for query in judged)
        shares.append(Fraction(right, len(judged)) if judged else None)
    return shares


def _weight(share: Fraction | None, rules: PlainRules) -> Fraction:
    weight = Fraction(0) if share is None else rules.labels * share - 1
    return max(weight, Fraction(0)) if rules.negative_weights is NegativeWeights.ZERO else weight


def _lead(case: Case, query: int, weight: list[Fraction]) -> tuple[Fraction, bool]:
    """Margin, and whether the heaviest answers tie."""
    scores = sorted(_scores(case, query, weight).values(), reverse=True)
    total = sum((abs(weight[source]) for (other, source) in case.table if other == query), Fraction(0))
    tied = len(scores) > 1 and scores[0] == scores[1]
    if not scores or tied or total == 0:
        return Fraction(0), tied
    second = scores[1] if len(scores) > 1 else Fraction(0)
    return max((scores[0] - second) / total, Fraction(0)), tied
