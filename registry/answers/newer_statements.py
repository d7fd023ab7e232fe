"""Statements that contradict an answer and are newer: by which source, and how probable the answers are then."""

from collections.abc import Mapping
from uuid import UUID

from answering.voting import CastVote, Count
from answering.voting.certainty import certainty_of_vote
from answering.voting.newer_statements import newest_contradiction
from answering.voting.vote import TallyLine
from registry.sources.reliabilities import Reliabilities, SourceReliability

# How probable an answer to what is so now is if a newer statement says otherwise, and was not misread: on the news 0.21
# of 85 such answers are right (docs/results/dates.md), of documents whose facts do not change more.
RIGHT_STILL = 0.3
# How probable the newer of single statements is: on the news 0.55 of 64 and 0.41 of 49 are right.
RIGHT_IF_NEWER = 0.5


def newer_statement(reliabilities: Reliabilities, count: Count[UUID], line: TallyLine[UUID]) -> CastVote[UUID] | None:
    """The newest statement against this answer, see `newest_contradiction`, of sources that may be as reliable as those
    that give it.
    """
    sources = {source.source_id: source for source in reliabilities.sources}
    least = max(sources[source_id].reliability or 0.0 for source_id in line.supporters)
    return newest_contradiction(
        [vote for vote in count.votes if vote.answer_key == line.key or _may_reach(sources[vote.source_id], least)],
        line.key,
    )


def _may_reach(source: SourceReliability, least: float) -> bool:
    """Whether a source may be so reliable, by the upper end of its interval; an override stands for itself."""
    upper = source.reliability if source.override is not None or source.upper is None else source.upper
    return (upper or 0.0) >= least


def as_of_now(probabilities: Mapping[str, float], count: Count[UUID], newer: CastVote[UUID] | None) -> dict[str, float]:
    """The probabilities of answers to what is so now, where outdated ones do not count and `newer` contradicts the
    winner.
    """
    found, winner = dict(probabilities), count.vote.winner
    outdated = {vote.answer_key for vote in count.votes if vote.is_outdated}
    if winner is not None and newer is not None:
        found[winner] -= certainty_of_vote(newer) * max(found[winner] - RIGHT_STILL, 0.0)
    if winner is not None and outdated and count.electorate.group_count(count.vote.tally[0].supporters) == 1:
        found[winner] = min(found[winner], RIGHT_IF_NEWER)
    for key in outdated:
        found[key] = min(found[key], RIGHT_STILL, *([] if winner is None else [found[winner]]))
    return found
