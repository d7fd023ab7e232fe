"""The certificate against brute force: every set of sources, every way it could vote, counted again."""

from hypothesis import given, settings
from hypothesis import strategies as st

from answering.voting import CastVote, Electorate, Voter, certify
from benchmarks.calibration.brute_force import overturns, smallest_overturning_set
from benchmarks.calibration.electorates import World, cast, drawn, of_weights
from tests.tables import for_each

WORLDS = 600


def test_it_is_the_smallest_set_that_overturns_the_vote() -> None:
    sizes = set()
    for seed in range(WORLDS):
        world = drawn(seed)
        certificate = certify(world.electorate, world.votes)
        assert certificate.size == smallest_overturning_set(world), seed
        assert not certificate.is_bound
        assert len(set(certificate.sources)) == (certificate.size or 0)
        if certificate.size:
            assert overturns(world, certificate.sources), seed
        sizes.add(certificate.size)
    assert {None, 0, 1, 2, 3} <= sizes


@for_each(
    ("keys", "weights", "size", "challenger"),
    [
        ("a", [1], 1, None),
        ("aaa", [1, 1, 1], 2, None),
        ("aaaa", [1, 1, 1, 1], 2, None),
        ("aaaaa", [1, 1, 1, 1, 1], 3, None),
        ("aab", [1, 1, 1], 1, "b"),
        ("abc", [5, 1, 1], 1, "b"),
        ("ab", [1, 1], 0, "b"),
        ("a", [-1], None, None),
    ],
)
def test_certificates_by_hand(keys: str, weights: list[float], size: int | None, challenger: str | None) -> None:
    certificate = certify(of_weights(weights), cast(*keys))
    assert (certificate.size, certificate.challenger) == (size, challenger)


def test_of_challengers_that_need_as_few_the_strongest_is_named() -> None:
    """Not the one whose key sorts first."""
    certificate = certify(of_weights([3.9, 3.6, 2.1, 2.9]), cast("w", "w", "a", "b"))
    assert (certificate.size, certificate.challenger) == (1, "b")


def test_the_strong_supporter_of_the_winner_is_corrupted_first() -> None:
    certificate = certify(of_weights([1, 3, 1, 0.5]), cast("a", "a", "b", "c"))
    assert (certificate.sources, certificate.challenger) == ((1,), "b")


def test_one_of_four_copiers_that_changes_its_mind_has_a_vote_of_its_own() -> None:
    copiers = [Voter(source, 1.0, copy_group="copies") for source in range(4)]
    electorate = Electorate([*copiers, Voter(4, 0.2)], prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    assert certify(electorate, cast("a", "a", "a", "a", "b")).size == 1


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0.1, 1)), min_size=6, max_size=7))
def test_a_large_copy_group_gives_a_bound_that_holds(members: list[tuple[str, float]]) -> None:
    copies = [Voter(source, weight, copy_group="copies") for source, (_, weight) in enumerate(members)]
    electorate = Electorate([*copies, Voter(9, 0.3)], prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    votes = [CastVote(source, key, key) for source, (key, _) in enumerate(members)]
    world = World(electorate, [*votes, CastVote(9, "b", "b")])
    certificate, smallest = certify(electorate, world.votes), smallest_overturning_set(world)
    assert certificate.size is not None
    assert smallest is not None
    assert certificate.size <= smallest
    assert certificate.is_bound or certificate.size == smallest


def test_without_votes_there_is_nothing_to_overturn() -> None:
    certificate = certify(of_weights([]), [])
    assert (certificate.size, certificate.sources) == (None, ())


def test_a_thousand_sources_are_certified() -> None:
    electorate = of_weights([1.0 + source / 1000 for source in range(1_000)])
    assert certify(electorate, cast(*(f"answer {source % 700}" for source in range(1_000)))).size == 1
