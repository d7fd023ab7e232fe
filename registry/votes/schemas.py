"""Votes as callers send them, and what they agree on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeAlias
from uuid import UUID

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, StringConstraints

from answering.enums import Outcome
from answering.parameters import Number
from registry.platform.enums import AnswerPolicy
from registry.platform.fields import ExternalId, Input, Moment, Name, NotBlank, OneLine, Result, Score, Storable

if TYPE_CHECKING:
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


MAX_VOTES = 10_000
# A text without control characters that is not blank.
_SHOWN: Final = r"^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$"


def _as_text(value: Any) -> Any:  # noqa: ANN401 - anything that JSON has
    """Numbers and truth values as JSON writes them: labels of data sets often are some."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


Label: TypeAlias = bool | float
Reference = Annotated[ExternalId, BeforeValidator(_as_text, json_schema_input_type=ExternalId | Label)]
AnswerText = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
Answer = Annotated[AnswerText, BeforeValidator(_as_text, json_schema_input_type=AnswerText | Label)]
MAX_LISTED = 100
AnswerList = Annotated[list[Annotated[Answer, OneLine]], Field(min_length=1, max_length=MAX_LISTED)]


class VoteInput(Input):
    """The answer of a source."""

    source: Reference = Field(validation_alias=AliasChoices("source", "worker"))
    """The source, by its external id, id or name; also taken as `worker`."""
    answer: Answer | AnswerList = Field(validation_alias=AliasChoices("answer", "label"))
    """Its answer; also taken as `label`. Numbers and truth values are taken as text. A list of them, or a text with one
    a line, where the policy of answers is `several`."""
    at: Moment | None = None
    """Time of the vote, with its offset from UTC; a date alone is midnight in UTC."""
    confidence: Annotated[float, Field(ge=0, le=1), Number] | None = None
    """Its own, kept as it is; it counts for nothing."""


class VoteLine(VoteInput):
    """A vote in an import."""

    query: Reference = Field(validation_alias=AliasChoices("query", "task"))
    """The query, by its external id; an unknown one becomes a new query with this text. Also taken as `task`."""
    topic: Name | None = None
    """Topic of the query in a word or two; a topic that the query has stays."""
    external_id: ExternalId | None = None
    """The caller's identifier of the vote, returned with its result."""


def _plain(most: int) -> StringConstraints:
    return StringConstraints(strict=True, min_length=1, max_length=most, pattern=_SHOWN)


PlainAnswer: TypeAlias = Annotated[str, _plain(2_000)]


@dataclass(frozen=True, slots=True)
class VoteRow:
    """A valid vote of an import: a `VoteLine` without its cost.

    Its types take what most lines have, and that as a `VoteLine` does: texts without control characters.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)

    source: Annotated[str, _plain(500)]
    query: Annotated[str, _plain(500)]
    answer: PlainAnswer | Annotated[list[PlainAnswer], Field(min_length=1, max_length=MAX_LISTED)]
    at: Moment | None = None
    confidence: Annotated[float, Field(strict=True, ge=0, le=1)] | None = None
    topic: Annotated[str, _plain(200)] | None = None
    external_id: Annotated[str, _plain(500)] | None = None


class ConsensusInput(Input):
    """The votes of known sources on one query, to be counted and not stored."""

    votes: Annotated[list[VoteInput], Field(min_length=1, max_length=MAX_VOTES)]
    """One vote a source."""
    answers: AnswerPolicy | None = None
    """Policy of answers: `one` is right, `several` may be, or a `number`; null: as the corpus says."""


class ConsensusVoter(Result):
    """A source that votes."""

    source_id: UUID
    """The source."""
    external_id: str
    """The caller's identifier of it."""
    name: str
    """Its name."""
    reliability: Score | None
    """Reliability at the time of its vote; null before the first estimation."""
    lower: Score | None = None
    """Lower end of the 90 % interval of its estimate; null for one that turned."""
    upper: Score | None = None
    """Upper end of it."""
    sensitivity: Score | None = None
    """Share of the true answers that it lists, where several may be true; null otherwise."""
    specificity: Score | None = None
    """Share of the false answers, that others list, which it does not list; null likewise."""
    weight: float
    """Weight of its vote; members of a copy group that give the same answer share one weight. Where several answers may
    be true, by how much it raises the log odds of an answer to list it."""
    copy_group: int | None = None
    """Number of its copy group in the estimation; null for an independent source."""
    answer: str
    """Its answer, in its own words; of several one a line."""
    imported: bool
    """Whether it is an imported vote; else it was read from documents of the source by the current estimation."""
    at: datetime | None = None
    """Time of its vote, or of the first publication of its answer."""
    supports: bool
    """Whether it gives the answer; of several exactly these."""


class ListedAnswer(Result):
    """An answer where several may be true."""

    answer: str
    """Its most frequent wording."""
    probability: Score
    """Probability that it is true, whatever the others are."""
    source_ids: tuple[UUID, ...]
    """The sources that list it."""
    other_ids: tuple[UUID, ...]
    """The sources that vote on the query and do not list it."""


class NumberSummary(Result):
    """The consensus of votes that are numbers: the median, in which sources that are nearer weigh more."""

    value: float
    """The weighted median."""
    lower: float
    """Lower end of the range in which the middle 90 % of the weight of the votes lies."""
    upper: float
    """Upper end of it."""
    unit: str | None = None
    """The unit of all of these, as `m`: that of most votes on the query; null for plain numbers."""
    votes: int
    """Number of votes that are numbers in this unit; others do not count."""


class NumberVoter(Result):
    """A source whose vote is a number."""

    source_id: UUID
    """The source."""
    value: float
    """Its number, in the unit of the consensus."""
    deviation: float
    """Distance above the consensus, in standard deviations of the votes; 0 if all are equal."""
    error: float
    """Mean distance of its votes from the consensus, in the same, over the newest queries of the corpus."""
    weight: float
    """Weight of its vote in the median: minus the logarithm of its share of all sources' errors."""


class NumberConsensus(NumberSummary):
    """The consensus of votes on one query that are numbers, and the distance of each source from it."""

    voters: tuple[NumberVoter, ...]
    """The sources, those that are furthest off first."""


class ConsensusSummary(Result):
    """The consensus of the votes on one query, weighted by the reliabilities of the current estimation."""

    query_id: UUID | None = None
    """Null where the votes were sent to be counted."""
    query: str | None = None
    """Its external id."""
    text: str | None = None
    """Its text."""
    outcome: Outcome
    """`answered`, `conflicting` if no answer leads, `unsupported` if no vote counts, `no_evidence` without votes."""
    answer: str | None
    """The answer with the most weight, in its most frequent wording; null without one. Where several may be true, those
    that are likelier true than not, one a line, the most probable first."""
    confidence: Score
    """Posterior probability of the answer under the one-coin model, given the reliabilities; of several that exactly
    these are true, by the latent truth model."""
    confidence_capped: bool = False
    """Whether it was lowered to 0.95: without the sources registered last another answer would win, or none."""
    margin: Score | None
    """Winning weight minus the runner-up's, over the summed absolute weights; null where several may be true."""
    lead: Score | None = None
    """If several may be true, the confidence minus the probability of the next likeliest set; null otherwise."""
    votes: int
    """Number of votes of active sources."""
    several: tuple[ListedAnswer, ...] | None = None
    """Each answer that a source lists, the most probable first; null unless the policy of answers is `several`."""
    number: NumberSummary | None = None
    """The consensus of numbers, if the policy of answers is `number` and one of these is one."""


class Consensus(ConsensusSummary):
    """A consensus, and what it was made of."""

    tally: tuple[TallyEntry, ...]
    """The answers by weight; empty where several may be true."""
    voters: tuple[ConsensusVoter, ...]
    """The sources that vote, those with most weight first."""
    certificate: CertificateView | None
    """The smallest set of sources whose corruption would flip the answer; null where several may be true."""
    number: NumberConsensus | None = None
    """The consensus of numbers, if the policy of answers is `number` and one of these is one."""
    unknown_sources: tuple[str, ...] = ()
    """Sources of votes that were sent which the corpus does not have; their votes do not count."""
    estimation_id: UUID | None
    """The run whose reliabilities counted; null before the first estimation, when every source counts the same."""
