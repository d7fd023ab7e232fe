"""Answers that only old statements give, where a newer one says otherwise.

Offices change hands and populations grow, and every page of before repeats what was true then. Such repetition is no
evidence that it is still true: it shows one thing, that it was.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from answering.voting.voter import CastVote, Source

# Chosen on dated news of 2022 and 2023 (`python -m benchmarks.dates`), where a week and four months do the same.
LEAST_GAP: Final = timedelta(days=30)


def mark_outdated(votes: Sequence[CastVote[Source]]) -> list[CastVote[Source]]:
    """The votes, with `is_outdated` set for every answer whose statements are all dated and at least `LEAST_GAP` older
    than the newest dated statement, which gives another answer.

    >>> from datetime import UTC, datetime
    >>> old, new = datetime(2012, 7, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    >>> votes = [CastVote("a", "moi", "Moi", last_published_at=old)]
    >>> votes += [CastVote("b", "ruto", "Ruto", last_published_at=new)]
    >>> [vote.is_outdated for vote in mark_outdated(votes)]
    [True, False]
    """
    dates = [vote.last_published_at for vote in votes if vote.last_published_at is not None]
    if not dates:
        return list(votes)
    latest = max(dates)
    current = {
        vote.answer_key
        for vote in votes
        if vote.last_published_at is None or latest - vote.last_published_at < LEAST_GAP
    }
    return [replace(vote, is_outdated=vote.answer_key not in current) for vote in votes]
