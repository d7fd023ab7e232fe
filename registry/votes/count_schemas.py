"""Counts of votes as they are returned: the tally and the certificate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self
from uuid import UUID

from registry.platform.result import Result, Score

if TYPE_CHECKING:  # clients read these without counting votes
    from answering.voting import Certificate, Electorate, TallyLine


class TallyEntry(Result):
    """The support of one answer class."""

    answer: str
    """Its most frequent wording."""
    weight: float
    """Summed weight of the votes for it."""
    share: float
    """Share of the summed positive weights; 0 for a negative weight."""
    votes: int
    """Number of sources that vote for it."""
    independent_votes: int
    """Number of independent copy groups that vote for it."""
    probability: Score | None = None
    """Posterior probability that it is right, as `confidence` is that of the winner; null in old answers."""
    source_ids: tuple[UUID, ...]
    """Ids of the sources that vote for it."""

    @classmethod
    def of(cls, line: "TallyLine[UUID]", electorate: "Electorate[UUID]", probability: float) -> Self:
        """The entry of a line of the tally of these voters."""
        return cls(
            answer=line.answer,
            weight=line.weight,
            share=line.share,
            votes=line.count,
            independent_votes=electorate.group_count(line.supporters),
            probability=probability,
            source_ids=line.supporters,
        )


class CertificateView(Result):
    """The smallest set of selected sources whose corruption would flip the answer, or change one item of a list."""

    size: int | None
    """Number of sources; null without votes."""
    source_ids: tuple[UUID, ...]
    """Ids of these sources."""
    challenger: str | None
    """The answer that would win; null for an answer that no source gave."""
    is_bound: bool = False
    """Whether more sources than `size` may be needed, so that none are named."""

    @classmethod
    def of(cls, certificate: "Certificate[UUID]", tally: "Sequence[TallyLine[UUID]]") -> Self:
        """The view of a certificate, with the words of its challenger in the tally."""
        return cls(
            size=certificate.size,
            source_ids=certificate.sources,
            challenger=next((line.answer for line in tally if line.key == certificate.challenger), None),
            is_bound=certificate.is_bound,
        )
