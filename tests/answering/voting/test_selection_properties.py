"""Invariants of kappa-RRSS for all readings and settings."""

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from answering.voting.electorate import Electorate
from answering.voting.readings import SourceReading
from answering.voting.selection import (
    Candidate,
    RejectionReason,
    Selection,
    SelectionSettings,
    StopReason,
    rank,
    select,
    select_sources,
)
from answering.voting.voter import Voter
from tests.answering.voting.walks import ABSTAINED, FAILED, MISALIGNED, NO_PASSAGES, World, ids, play, reasons, says

DOUBTED = replace(says("a"), confidence=0.3)
READINGS = st.sampled_from([says("a"), DOUBTED, says("b"), says("c"), ABSTAINED, MISALIGNED, NO_PASSAGES, FAILED])
WEIGHTS = st.integers(-2, 4).map(float)
GROUPS = st.none() | st.integers(0, 2)
OFFERS = st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.9]), WEIGHTS, READINGS, GROUPS), max_size=9)
SETTINGS = st.builds(
    SelectionSettings,
    kappa=st.none() | st.integers(1, 6),
    batch=st.integers(1, 6),
    budget=st.none() | st.integers(0, 10),
    stop_early=st.booleans(),
    by_copy_group=st.booleans(),
)
Offers = list[tuple[float, float, SourceReading, int | None]]


def offered(offers: Offers) -> tuple[list[Candidate[str]], World]:
    ranked = [
        Candidate(f"s{at}", reliability, copy_group=group) for at, (reliability, _, _, group) in enumerate(offers)
    ]
    return ranked, {f"s{at}": reading for at, (_, _, reading, _) in enumerate(offers)}


def electorate_of(offers: Offers) -> Electorate[str]:
    """Independent voters, who may be misread, with the weights of the offers."""
    voters = [Voter(f"s{at}", weight, read_share=1.0) for at, (_, weight, _, _) in enumerate(offers)]
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=10**9, weigh=lambda weight, _: weight)


def places(selection: Selection[str], candidates: Sequence[Candidate[str]], settings: SelectionSettings) -> int:
    """The number of places of kappa that are filled."""
    if not settings.by_copy_group:
        return len(selection.selected)
    groups = {candidate.id: candidate.copy_group for candidate in candidates}
    return len({source if groups[source] is None else groups[source] for source in selection.selected})


@given(OFFERS, SETTINGS)
def test_every_source_is_accounted_for_within_the_limits(offers: Offers, settings: SelectionSettings) -> None:
    ranked, world = offered(offers)
    result, batches = play(select(ranked, settings, electorate_of(offers)), world)
    asked = [source for batch in batches for source in batch]
    assert sorted([*ids(result), *reasons(result)]) == sorted(world)
    assert places(result, ranked, settings) <= (settings.kappa or len(world))
    assert list(result.readings) == asked
    assert len(asked) <= (len(world) if settings.budget is None else settings.budget)
    assert result.rounds == len(batches)
    assert all(len(batch) <= settings.batch for batch in batches)
    order = [source.id for source in rank(ranked)]
    assert asked == order[: len(asked)]
    assert ids(result) == [source for source in order if source in ids(result)]
    assert all(world[source] == reading for source, reading in result.readings.items())


@given(OFFERS, SETTINGS, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(offers: Offers, settings: SelectionSettings, rng: random.Random) -> None:
    ranked, world = offered(offers)
    shuffled = rng.sample(ranked, len(ranked))
    ours, _ = play(select(ranked, settings, electorate_of(offers)), world)
    theirs, _ = play(
        select(shuffled, settings, electorate_of(offers)), world, lambda batch: rng.sample(batch, len(batch))
    )
    assert ours == theirs


@given(OFFERS, SETTINGS)
def test_every_batch_selects_what_one_by_one_selects(offers: Offers, settings: SelectionSettings) -> None:
    ranked, world = offered(offers)
    ours, _ = play(select(ranked, settings, electorate_of(offers)), world)
    one_by_one, _ = play(select(ranked, replace(settings, batch=1), electorate_of(offers)), world)
    assert ours.selected == one_by_one.selected
    assert ours.stop_reason == one_by_one.stop_reason
    assert len(ours.readings) >= len(one_by_one.readings)
    assert ours.rounds <= one_by_one.rounds


@given(OFFERS, SETTINGS)
def test_a_thrifty_walk_spends_kappa_and_the_abstainers(offers: Offers, settings: SelectionSettings) -> None:
    ranked, world = offered(offers)
    thrifty = replace(settings, stop_early=False)
    result, _ = play(select(ranked, thrifty), world)
    read_in_vain = result.rejected.keys() & result.readings.keys()
    assert len(result.readings) == len(result.selected) + len(read_in_vain)
    assert RejectionReason.SURPLUS not in result.rejected.values()


@given(OFFERS, SETTINGS)
def test_stopping_early_never_changes_the_winner(offers: Offers, settings: SelectionSettings) -> None:
    ranked, world = offered(offers)
    early, _ = play(select(ranked, replace(settings, stop_early=True), electorate_of(offers)), world)
    full, _ = play(select(ranked, replace(settings, stop_early=False)), world)
    votes = [electorate_of(offers).count(selection.votes).vote for selection in (early, full)]
    assert votes[0].winner == votes[1].winner
    assert votes[0].tied == votes[1].tied or early.stop_reason is not StopReason.DECIDED
    assert len(early.readings) <= len(full.readings)
    assert early.selected == full.selected[: len(early.selected)]


@given(OFFERS, SETTINGS)
async def test_the_driver_selects_what_the_walk_does(offers: Offers, settings: SelectionSettings) -> None:
    ranked, world = offered(offers)

    async def read(batch: Sequence[str]) -> dict[str, SourceReading]:
        return {source: world[source] for source in batch}

    assert (
        await select_sources(ranked, read, settings, electorate_of(offers))
        == play(select(ranked, settings, electorate_of(offers)), world)[0]
    )
