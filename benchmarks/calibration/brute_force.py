"""The certificate by brute force: every set of sources, every way it could vote, counted again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

from answering.voting import CastVote
from answering.voting.voter import Source
from benchmarks.calibration.electorates import World

INVENTED = ("new", "another new")


def corruptions(votes: Sequence[CastVote[Source]], sources: Sequence[Source]) -> Iterator[list[CastVote[Source]]]:
    """Every way in which the sources could vote, read with certainty, the others voting as they did."""
    keys = {vote.answer_key for vote in votes} | set(INVENTED)
    for chosen in product(sorted(keys), repeat=len(sources)):
        changed = dict(zip(sources, chosen, strict=True))
        yield [
            replace(vote, answer_key=changed[vote.source_id], reading_confidence=1.0)
            if vote.source_id in changed
            else vote
            for vote in votes
        ]


def overturns(world: World[Source], sources: Sequence[Source]) -> bool:
    """Whether corrupting these sources can take the win from the answer."""
    winner = world.electorate.count(world.votes).vote.winner
    counted = (world.electorate.count(votes).vote for votes in corruptions(world.votes, sources))
    return any(vote.tied or vote.winner != winner for vote in counted)


def smallest_overturning_set(world: World[Source]) -> int | None:
    """Its size; 0 for a tie, None where nobody wins."""
    before = world.electorate.count(world.votes).vote
    if before.tied:
        return 0
    if before.winner is None:
        return None
    source_ids = [vote.source_id for vote in world.votes]
    return next(
        size
        for size in range(1, len(source_ids) + 1)
        for sources in combinations(source_ids, size)
        if overturns(world, sources)
    )
