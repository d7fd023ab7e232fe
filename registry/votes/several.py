"""The consensus of votes if several answers to a query may be true, each by itself: the latent truth model."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

import numpy as np

from answering.enums import Outcome
from answering.equivalence import representative
from estimator import judge_several
from registry.sources.reliabilities import SourceReliability
from registry.votes.schemas import Consensus, ConsensusVoter, ListedAnswer
from registry.votes.store import Vote, VotedQuery

LINE = "\n"
"""Between the answers of a vote that lists several."""
LIKELIER_TRUE = 0.5
# Of a source of which the current run knows nothing: its vote says nothing, as it might be one of many made to agree.
UNKNOWN = (0.5, 0.5)


def answers_of(text: str) -> list[str]:
    r"""The different answers that a vote lists, one a line, in their order.

    >>> answers_of("Aho\nUllman\nAho\n")
    ['Aho', 'Ullman']
    """
    return list(dict.fromkeys(line.strip() for line in text.split(LINE) if line.strip()))


def sureness(probabilities: Iterable[float]) -> tuple[float, float]:
    """The probability that exactly those answers are true that are likelier true than not, given those of all answers,
    and by how much it is above that of the next likeliest set.

    >>> [round(value, 2) for value in sureness([0.9, 0.2])]
    [0.72, 0.54]
    """
    sure = [max(probability, 1 - probability) for probability in probabilities]
    confidence = math.prod(sure)
    return confidence, confidence * (1 - max((1 - least) / least for least in sure))


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates at which sources list true and false answers."""

    sources: Mapping[UUID, SourceReliability]
    is_fitted: bool
    """Whether a run knows any of them; before, all count the same."""

    @classmethod
    def of(cls, sources: Mapping[UUID, SourceReliability]) -> Self:
        """The rates of the sources of a corpus, from the current run."""
        return cls(sources, any(source.sensitivity is not None for source in sources.values()))

    def of_source(self, source_id: UUID) -> tuple[float, float]:
        """Sensitivity and specificity; NaN before the first run."""
        source = self.sources[source_id]
        if source.sensitivity is None or source.specificity is None:
            return UNKNOWN if self.is_fitted else (math.nan, math.nan)
        return source.sensitivity, source.specificity


@dataclass(frozen=True, slots=True)
class Listed:
    """The votes of sources on one query, judged."""

    votes: Sequence[Vote]
    keys: Mapping[UUID, frozenset[str]]
    """The classes of the answers that each source lists."""
    answers: Mapping[str, ListedAnswer]
    """The answers by class, the most probable first."""
    rates: Mapping[UUID, tuple[float, float]]
    """Sensitivity and specificity of each source, as they counted."""

    @classmethod
    def of(cls, votes: Sequence[Vote], key_of: Callable[[str], str], rates: Rates) -> Self:
        """Judge the votes of those sources that are known; `key_of` gives the class of an answer."""
        votes = [vote for vote in votes if vote.source_id in rates.sources]
        worded: dict[str, list[str]] = {}
        keys = {}
        for vote in votes:
            by_key = {key_of(answer): answer for answer in answers_of(vote.answer)}
            keys[vote.source_id] = frozenset(by_key)
            for key, wording in by_key.items():
                worded.setdefault(key, []).append(wording)
        classes = sorted(worded)
        rows = [
            (place, number)
            for place, vote in enumerate(votes)
            for number, key in enumerate(classes)
            if key in keys[vote.source_id]
        ]
        source, answer = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        known = np.array([rates.of_source(vote.source_id) for vote in votes]).reshape(-1, 2)
        found = judge_several(np.zeros_like(source), source, answer, *known.T, query_count=1)
        answers = {
            key: ListedAnswer(
                answer=representative(worded[key]),
                probability=probability,
                source_ids=tuple(vote.source_id for vote in votes if key in keys[vote.source_id]),
                other_ids=tuple(vote.source_id for vote in votes if key not in keys[vote.source_id]),
            )
            for key, probability in zip(classes, found.probability.tolist(), strict=True)
        }
        ordered = dict(sorted(answers.items(), key=lambda item: (-item[1].probability, item[0])))
        counted = zip(found.sensitivity.tolist(), found.specificity.tolist(), strict=True)
        return cls(votes, keys, ordered, dict(zip((vote.source_id for vote in votes), counted, strict=True)))

    @property
    def true(self) -> list[str]:
        """The classes of the answers that are likelier true than not."""
        return [key for key, listed in self.answers.items() if listed.probability > LIKELIER_TRUE]

    def consensus(self, query: VotedQuery | None, rates: Rates, least_lead: float) -> Consensus:
        """The consensus without tally and certificate; below `least_lead` the answers are in conflict."""
        confidence, lead = (0.0, 0.0)
        if self.true:
            confidence, lead = sureness(listed.probability for listed in self.answers.values())
        outcome = Outcome.NO_EVIDENCE if not self.answers else Outcome.UNSUPPORTED
        if self.true:
            outcome = Outcome.CONFLICTING if lead < least_lead else Outcome.ANSWERED
        return Consensus(
            query_id=query.id if query else None,
            query=query.external_id if query else None,
            text=query.text if query else None,
            outcome=outcome,
            answer=LINE.join(self.answers[key].answer for key in self.true) or None,
            confidence=confidence,
            margin=None,
            lead=lead,
            votes=len(self.votes),
            several=tuple(self.answers.values()),
            tally=(),
            voters=tuple(self._voters(rates.sources)),
            certificate=None,
            estimation_id=None,
        )

    def _voters(self, sources: Mapping[UUID, SourceReliability]) -> Iterable[ConsensusVoter]:
        true = frozenset(self.true)
        for vote in sorted(self.votes, key=lambda vote: (-self._weight(vote.source_id), str(vote.source_id))):
            source, (sensitivity, specificity) = sources[vote.source_id], self.rates[vote.source_id]
            yield ConsensusVoter(
                source_id=source.source_id,
                external_id=source.external_id,
                name=source.name,
                reliability=source.reliability,
                lower=source.lower,
                upper=source.upper,
                sensitivity=sensitivity,
                specificity=specificity,
                weight=self._weight(vote.source_id),
                answer=vote.answer,
                imported=vote.imported,
                at=vote.at,
                supports=self.keys[vote.source_id] == true,
            )

    def _weight(self, source_id: UUID) -> float:
        """The amount by which a listing raises the log odds of an answer."""
        sensitivity, specificity = self.rates[source_id]
        return math.log(sensitivity / (1 - specificity))
