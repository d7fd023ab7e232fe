"""Statements that are newer than all that give an answer, and say otherwise.

Offices change hands and populations grow, and every page of before repeats what was true then.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from answering.voting.certificate import Certificate, certify
from answering.voting.electorate import Count
from answering.voting.outcome import closest
from answering.voting.vote import TallyLine
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


def count_without_outdated(
    count: Count[Source],
    contradiction: Callable[[Count[Source], TallyLine[Source]], CastVote[Source] | None],
    min_margin: float = 0.0,
) -> Count[Source]:
    """The votes on what is so now counted again without outdated ones.

    An answer is outdated that one source alone gives, or one copy group, and that `contradiction` finds a newer
    statement of positive weight against. Outdated votes keep their ballots, with weight 0. As long as no answer that
    wins, or is too close to the winner to tell (`closest`), is outdated, all count.

    On the news the newer of such statements is right about twice as often as an older one (`benchmarks.dates`).
    """
    while _outdated(count, contradiction, closest(count.vote, min_margin)):
        outdated = {vote.source_id: vote.outdated_by for vote in count.votes if vote.is_outdated}
        outdated = _outdated(count, contradiction, count.vote.tally) | outdated
        votes = [replace(vote, outdated_by=outdated.get(vote.source_id)) for vote in count.votes]
        count = count.electorate.count(votes)
    return count


def _outdated(
    count: Count[Source],
    contradiction: Callable[[Count[Source], TallyLine[Source]], CastVote[Source] | None],
    lines: Iterable[TallyLine[Source]],
) -> dict[Source, Source | None]:
    """The sources of outdated votes for these answers, and who contradicts each."""
    outdated = dict[Source, Source | None]()
    for line in lines:
        if count.electorate.group_count(line.supporters) == 1:
            newer = contradiction(count, line)
            if newer is not None and count.electorate.weight(newer.source_id) > 0:
                outdated |= dict.fromkeys(line.supporters, newer.source_id)
    return outdated


def certify_of_now(count: Count[Source]) -> Certificate[Source]:
    """The certificate of the winner where outdated votes do not count, see `count_without_outdated`.

    Where the heaviest of them would win, to corrupt the source that outdated it is enough. Elsewhere it is enough to
    leave the winner one source or copy group, which a newer statement may outdate.
    """
    outdated = [vote for vote in count.votes if vote.is_outdated]
    if outdated and count.vote.winner is not None and not count.vote.tied:
        heaviest = max(outdated, key=lambda vote: count.electorate.weight(vote.source_id))
        by = () if heaviest.outdated_by is None else (heaviest.outdated_by,)
        return Certificate(by, 1, heaviest.answer_key)
    certificate = certify(count.electorate, count.votes)
    if not certificate.size:
        return certificate
    groups = Counter(map(count.electorate.copy_group, count.vote.tally[0].supporters))
    most = max(1, groups.total() - max(groups.values()))
    return certificate if certificate.size <= most else Certificate((), most, None, is_bound=True)
