"""Drawn questions: what a run knows of the sources, and what they say, as `hold_vote` takes both."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from answering.passages import RetrievedPassage
from answering.voting import ReadingStatus, SourceReading
from registry.answers.evidence import HeldVote, hold_vote
from registry.answers.schemas import AnswerParameters
from registry.estimations.model import EstimationRun
from registry.sources.model import Override
from registry.sources.reliabilities import Reliabilities, SourceReliability
from registry.sources.schemas import ReliabilityPeriod

ESTIMATED = datetime(2026, 1, 1, tzinfo=UTC)
TURNED = ESTIMATED - timedelta(days=30)


@dataclass(frozen=True)
class DrawnQuestion:
    """The sources and their readings."""

    reliabilities: Reliabilities
    readings: Mapping[UUID, SourceReading]

    async def hold_vote(self) -> HeldVote:
        """The vote of all of them."""

        async def read(source_ids: Sequence[UUID]) -> Mapping[UUID, SourceReading]:
            return {source_id: self.readings[source_id] for source_id in source_ids}

        parameters = AnswerParameters(kappa=len(self.readings))
        return await hold_vote("Of what colour?", "scripted", self.reliabilities, None, parameters, read)


def drawn(seed: int, most: int) -> DrawnQuestion:
    """Of two to `most` sources: some new, copies, in joint dissent, turned, misread, or newer than the estimate, and
    often some below chance.
    """
    draw = random.Random(seed)
    ids = [UUID(int=number) for number in range(draw.randint(2, most))]
    newer, misread, dissent, turned = (draw.random() < share for share in (0.5, 0.3, 0.4, 0.3))
    sources = tuple(_source(draw, source_id, turned=turned, misread=misread) for source_id in ids)
    run = EstimationRun(
        id=UUID(int=99),
        method=draw.choice(["one_coin", "majority"]),
        labels=draw.choice([2, 3, 10]),
        prior=0.6,
        prior_lower=draw.choice([0.3, 0.6]),
        prior_upper=0.8,
        started_at=ESTIMATED,
        joint_dissents=[{"source_ids": [str(each) for each in ids[:2]], "queries": []}] if dissent else [],
    )
    answers = draw.sample(["red", "blue", "green"], draw.randint(1, 3))
    readings = {
        source_id: _reading(
            draw.choice(answers),
            source_id,
            published_at=draw.choice([None, TURNED - timedelta(days=1)]),
            stored_at=ESTIMATED + timedelta(days=1 if newer and draw.random() < 0.5 else -1),
            confidence=draw.choice([0.3, 0.9]) if misread else None,
        )
        for source_id in ids
    }
    return DrawnQuestion(Reliabilities(run, sources), readings)


def _source(draw: random.Random, source_id: UUID, *, turned: bool, misread: bool) -> SourceReliability:
    is_new, reliability = draw.random() < 0.25, round(draw.random(), draw.choice([1, 3]))
    name, override = str(source_id), None
    if not is_new and draw.random() < 0.1:
        override = Override(source_id=source_id, reliability=reliability, reason="known")
    source = SourceReliability(
        source_id, name, name, "active", None if is_new else reliability, None, None, None, None, 20, None, override
    )
    return replace(
        source,
        copy_group=None if is_new else draw.choice([None, None, 1, 1, 2]),
        is_new=is_new,
        read_share=0.8 if misread and not is_new else None,
        periods=(_period(TURNED - timedelta(days=9), draw.random()), _period(TURNED, reliability)) if turned else (),
    )


def _period(since: datetime, reliability: float) -> ReliabilityPeriod:
    return ReliabilityPeriod(
        since=since, until=since, reliability=reliability, lower=0.0, upper=1.0, vote_count=9, log_odds=None
    )


def _reading(
    answer: str, source_id: UUID, *, published_at: datetime | None, stored_at: datetime, confidence: float | None
) -> SourceReading:
    passage = RetrievedPassage(
        source_id, source_id, 0, 0, len(answer), answer, 1.0, "", published_at, "document", stored_at
    )
    return SourceReading(ReadingStatus.ANSWERED, f"text:{answer}", answer, (passage,), confidence=confidence)
