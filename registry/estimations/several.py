"""The findings of a run on queries to which several answers may be true, and how they are stored.

The latent truth model (`estimator.estimate_several`) takes these queries, and the method of the run the others. Classes
of answers that depend on each other, as those of rounded numbers, are kept apart.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from answering.equivalence import ClassPolicy, answer_key, representative
from estimator import Estimate, SeveralAnswers, estimate_several
from estimator.methods import method_named
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.store import estimates
from registry.estimations.store.estimates import ListedVote
from registry.estimations.store.votes import RunVotes, write_query_results
from registry.platform.database.base import AsyncSession
from registry.votes.several import LIKELIER_TRUE, LINE, answers_of, sureness

REASON = "Several answers may be true to {} of the queries: latent truth model, which looks for no copies."
Classes = frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class SeveralEstimate:
    """The estimate from the votes of a run that list answers: of the answers and of their sources."""

    votes: Sequence[ListedVote]
    lists: Sequence[Classes]
    """The classes of the answers that each vote lists."""
    found: SeveralAnswers
    """The findings on all queries and sources of the run."""
    true: Mapping[int, Classes]
    """The classes of answers that are likelier true than not, by query."""
    lead: Mapping[int, float]
    """The probability that exactly these are true, less that of the next likeliest set, by query."""
    wordings: Mapping[str, str]
    """The wordings by class."""

    @classmethod
    def of(cls, votes: Sequence[ListedVote], policy: ClassPolicy, run_votes: RunVotes) -> Self:
        """Estimate; call it in a thread, as it is nothing but computation."""
        worded: defaultdict[str, list[str]] = defaultdict(list)
        lists = list[Classes]()
        for vote in votes:
            keys = {answer_key(answer, policy, vote.question): answer for answer in answers_of(vote.answer)}
            lists.append(frozenset(keys))
            for key, answer in keys.items():
                worded[key].append(answer)
        number = {key: place for place, key in enumerate(sorted(worded))}
        rows = [(vote.query, vote.source, number[key]) for vote, keys in zip(votes, lists, strict=True) for key in keys]
        found = estimate_several(
            *np.array(rows, dtype=np.int64).reshape(-1, 3).T,
            query_count=len(run_votes.query_ids),
            source_count=len(run_votes.source_ids),
        )
        facts: defaultdict[int, dict[str, float]] = defaultdict(dict)
        names = list(number)
        columns = (found.query.tolist(), found.answer.tolist(), found.probability.tolist())
        for query, answer, probability in zip(*columns, strict=True):
            facts[query][names[answer]] = probability
        return cls(
            votes,
            lists,
            found,
            true={query: frozenset(key for key in of if of[key] > LIKELIER_TRUE) for query, of in facts.items()},
            lead={query: sureness(of.values())[1] for query, of in facts.items()},
            wordings={key: representative(answers) for key, answers in worded.items()},
        )


async def write_several(
    session: AsyncSession,
    run: EstimationRun,
    rows: Sequence[RunSource],
    run_votes: RunVotes,
    estimate: Estimate,
    several: SeveralEstimate,
) -> None:
    """Complete the rows of sources, in their order in the run, its queries, and the classes of their votes."""
    _write_sources(rows, estimate, several)
    worded = _worded_lists(several)
    answers = [
        {
            "estimation_id": run.id,
            "query_id": run_votes.query_ids[query],
            "answer": worded.get((query, true)) or LINE.join(sorted(several.wordings[key] for key in true)) or None,
            "lead": several.lead[query],
            "tied": False,
        }
        for query, true in several.true.items()
    ]
    keys = [LINE.join(sorted(keys)) for keys in several.lists]
    await estimates.store_keys(session, run_votes, several.votes, keys)
    await write_query_results(session, run.id, answers)
    run.reason = " ".join(filter(None, [run.reason, REASON.format(f"{len(run_votes.several):,}")]))


def _write_sources(rows: Sequence[RunSource], estimate: Estimate, several: SeveralEstimate) -> None:
    """Sensitivities and specificities; and the precision as the reliability of a source without other votes."""
    differing = Counter(query for query, _ in {(vote.query, keys) for vote, keys in _pairs(several)})
    count, agreed, disputed = Counter[int](), Counter[int](), Counter[int]()
    for vote, keys in _pairs(several):
        count[vote.source] += 1
        agreed[vote.source] += keys == several.true[vote.query]
        disputed[vote.source] += differing[vote.query] > 1
    method = method_named(estimate.method)
    for source, votes in count.items():
        row, precision = rows[source], float(several.found.precision[source])
        row.sensitivity = float(several.found.sensitivity[source])
        row.specificity = float(several.found.specificity[source])
        if row.vote_count:
            continue
        row.reliability, row.weight = precision, method.vote_weight(precision, estimate.labels)
        # The model gives no interval of it, and nothing by topic.
        row.lower = row.upper = row.systematic = row.read_share = row.misread_count = None
        row.topics = []
        row.vote_count, row.agreement_count, row.conflict_count = votes, agreed[source], disputed[source]


def _pairs(several: SeveralEstimate) -> list[tuple[ListedVote, Classes]]:
    return list(zip(several.votes, several.lists, strict=True))


def _worded_lists(several: SeveralEstimate) -> dict[tuple[int, Classes], str]:
    """The most frequent wording of each list of each query."""
    worded: defaultdict[tuple[int, Classes], list[str]] = defaultdict(list)
    for vote, keys in _pairs(several):
        worded[vote.query, keys].append(vote.answer)
    return {place: Counter(sorted(answers)).most_common(1)[0][0] for place, answers in worded.items()}
