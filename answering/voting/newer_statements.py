"""Statements that are newer than all that give an answer, and say otherwise.

Offices change hands and populations grow, and every page of before repeats what was true then.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from answering.voting.voter import CastVote, Source

# Chosen on dated news of 2022 and 2023 (`python -m benchmarks.dates`), where a week and four months do the same.
LEAST_GAP: Final = timedelta(days=30)
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


def newest_contradiction(votes: Sequence[CastVote[Source]], answer_key: str) -> CastVote[Source] | None:
    """The newest vote for another answer, if all statements of this one are dated and at least `LEAST_GAP` older.

    >>> votes = [CastVote("a", "moi", "Moi", last_published_at=datetime(2012, 7, 1, tzinfo=UTC))]
    >>> votes += [CastVote("b", "ruto", "Ruto", last_published_at=datetime(2026, 2, 1, tzinfo=UTC))]
    >>> newest_contradiction(votes, "moi").answer, newest_contradiction(votes, "ruto")
    ('Ruto', None)
    """
    dates = [vote.last_published_at for vote in votes if vote.answer_key == answer_key]
    others = [vote for vote in votes if vote.answer_key != answer_key and vote.last_published_at is not None]
    newest = max(others, key=lambda vote: vote.last_published_at or _LONG_AGO, default=None)
    known = [date for date in dates if date is not None]
    if newest is None or newest.last_published_at is None or not known or len(known) < len(dates):
        return None
    return newest if newest.last_published_at - max(known) >= LEAST_GAP else None
