"""The certificate of a question as the service holds its vote, against every way in which its sources could vote."""

from itertools import combinations

from benchmarks.calibration.brute_force import overturns, smallest_overturning_set
from benchmarks.calibration.electorates import World
from tests.registry.answers.drawn_votes import drawn

# Of so many sources every set is tried; of more only those smaller than the certificate, which must not overturn.
FEW, MANY = 4, 9


async def test_it_is_the_smallest_set_that_overturns_the_vote() -> None:
    sizes = set()
    for seed in range(700):
        held = await (question := drawn(seed, FEW)).hold_vote()
        world = World(question.reliabilities.electorate(), held.votes)
        assert held.certificate.size == smallest_overturning_set(world), seed
        sizes.add(held.certificate.size)
    assert {None, 0, 1, 2} <= sizes


async def test_of_many_sources_it_overturns_the_vote_and_no_smaller_set_does() -> None:
    for seed in range(300):
        held = await (question := drawn(seed, MANY)).hold_vote()
        world = World(question.reliabilities.electorate(), held.votes)
        certificate = held.certificate
        assert certificate.is_bound or not certificate.size or overturns(world, certificate.sources), seed
        smaller = (set_ for size in range(certificate.size or 0) for set_ in combinations(held.count.answers, size))
        assert not any(overturns(world, sources) for sources in smaller), seed
