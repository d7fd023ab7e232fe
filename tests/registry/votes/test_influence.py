"""The influence of a source: what is not counted again would have stayed as it is."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.platform.enums import QueryOrigin
from registry.sources.reliabilities import Reliabilities, SourceReliability
from registry.votes import summaries
from registry.votes.consensus import Counter
from registry.votes.store import Vote, VotedQuery

SOURCES = [UUID(int=number) for number in range(6)]
QUERY = VotedQuery(UUID(int=99), "q", "When was Brin founded?", QueryOrigin.GIVEN)
# Few values, so that answers tie and sources are below chance.
RELIABILITIES = st.sampled_from((0.05, 0.2, 0.5, 0.8, 0.8, 0.95))


def counter_of(reliabilities: list[float], groups: list[int | None]) -> Counter:
    sources = tuple(
        SourceReliability(
            source_id=source_id,
            external_id=str(source_id),
            name=str(source_id),
            status="active",
            reliability=reliability,
            estimated=reliability,
            lower=reliability,
            upper=reliability,
            weight=None,
            vote_count=20,
            copy_group=group,
            override=None,
        )
        for source_id, reliability, group in zip(SOURCES, reliabilities, groups, strict=True)
    )
    return Counter.of(Reliabilities(None, sources))


@given(
    st.lists(RELIABILITIES, min_size=6, max_size=6),
    st.lists(st.sampled_from((None, None, 0, 1)), min_size=6, max_size=6),
    st.lists(st.sampled_from(("1850", "1851", "1852")), min_size=1, max_size=6),
    st.sampled_from((QUERY, QUERY._replace(text="Is Brin a town?"), QUERY._replace(origin=QueryOrigin.VOTES))),
)
def test_nothing_else_changes_than_by_counting_all_again(
    reliabilities: list[float], groups: list[int | None], answers: list[str], query: VotedQuery
) -> None:
    counter = counter_of(reliabilities, groups)
    votes = {query.id: [Vote(source_id, answer, None) for source_id, answer in zip(SOURCES, answers, strict=False)]}
    found = summaries.changed_answers(counter, [query], votes, SOURCES[0])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(summaries, "_stays", lambda *_: False)
        assert summaries.changed_answers(counter, [query], votes, SOURCES[0]) == found
