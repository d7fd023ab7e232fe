"""A ConflictScore: its parameters and documents as callers send them, and its result."""

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from answering.enums import JudgeKind, ReplyRefusal, ResponseOutcome, Uncovered
from answering.parameters import Number
from registry.platform.fields import ExternalId, Input, Name, NotBlank, Question, Result, Score, Storable, Title

MAX_RESPONSE_CHARACTERS = 20_000
MAX_DOCUMENTS = 100
MAX_DOCUMENT_CHARACTERS = 100_000


class SplitterKind(StrEnum):
    """The way to split a response into claims."""

    RULES = "rules"
    LANGUAGE_MODEL = "language_model"


class ConflictParameters(Input):
    """Parameters of one score."""

    judge: JudgeKind = JudgeKind.COMPACT
    """The judge: the compact one, or the configured language model."""
    claims: SplitterKind = SplitterKind.RULES
    """The way to split the response into claims: by rules, or by the configured language model."""
    uncovered: Uncovered = Uncovered.ZERO
    """The way a claim counts in CS-R that no document supports or contradicts: as `zero`, or not at all (`omit`)."""
    min_probability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Labels less probable than this count as irrelevant. Higher values report fewer and more certain conflicts."""
    least_reliability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Reliability below which documents of a source of this corpus do not count. Those of a source whose vote weighs
    less than a tenth of the most reliable one's never do."""
    max_sources: Annotated[int, Field(ge=1, le=50), Number] = 8
    """Number of sources that are searched for documents, if none are sent."""
    passages_per_source: Annotated[int, Field(ge=1, le=10), Number] = 3
    """Passages taken of each of these."""


class GivenDocument(Input):
    """A document that comes with the request and is not kept."""

    content: Annotated[str, Field(min_length=1, max_length=MAX_DOCUMENT_CHARACTERS), Storable, NotBlank]
    """The text of the document."""
    external_id: ExternalId | None = None
    """The caller's id; by default the number of the document in the request."""
    title: Title = ""
    """The title of the document."""
    source: Name | None = None
    """Publisher of the document. The `external_id` of a source of this corpus gives it the reliability of that source.
    """
    reliability: Annotated[float, Field(ge=0, le=1), Number] | None = None
    """Reliability of its source, for this score; by default that of the source in this corpus, whose documents are left
    out where its votes would have no weight."""


class ConflictInput(Input):
    """A response to be compared with documents."""

    response: Annotated[str, Field(min_length=1, max_length=MAX_RESPONSE_CHARACTERS), Storable, NotBlank]
    """The text of the response, written by a person or a language model."""
    question: Question | None = None
    """The question it answers. A short answer is judged together with it, and documents are searched for by it."""
    documents: Annotated[list[GivenDocument], Field(max_length=MAX_DOCUMENTS)] | None = None
    """The documents to compare it with; null searches the corpus, by the question or else by every claim."""
    regenerate: bool = Field(default=False, strict=True)
    """Whether the configured language model regenerates it, with the contested claims fed back."""
    parameters: ConflictParameters = ConflictParameters()
    """Parameters of the score."""


class EvidenceView(Result):
    """A document that takes up a claim; of a source of the corpus, the one that says it most clearly."""

    source_id: UUID | None
    """The source in this corpus; null for a document that came with the request and names none."""
    source: str
    """Name of the publisher."""
    reliability: Score | None
    """Reliability of the source as it counted then: the prior without an estimate, and of a new source the lower end of
    its interval; null for a source that the corpus does not know."""
    copies: tuple[str, ...] = ()
    """Names of sources that say the same and count as one with it."""
    document_id: UUID | None
    """The document in this corpus; null for one that came with the request."""
    document_external_id: str
    """The external id of the document."""
    title: str
    """Title of the document."""
    probability: Score
    """Probability of the label, according to the judge."""
    quote: str | None
    """The words that say so, verbatim in the document from `start` to `end`; null if the judge names none."""
    start: int | None
    """First character (code point) of the quote in the document's text."""
    end: int | None
    """One past its last character."""
    note: str | None
    """An error during judging, if there was one."""


class ClaimView(Result):
    """A claim and the evidence on it."""

    text: str
    """The claim, as it was judged."""
    start: int | None
    """First character of the claim in the response; null if its words are not consecutive there."""
    end: int | None
    """One past the last character."""
    conflicting: bool
    """Whether some document supports it and some document contradicts it."""
    ratio: Score | None
    """Contradicting documents, of those that support or contradict; null where there are none."""
    supporting: tuple[EvidenceView, ...]
    """D+: documents, or sources, that support the claim wholly or in part."""
    contradicting: tuple[EvidenceView, ...]
    """D-: documents, or sources, that say what cannot be true together with the claim."""
    reporting: tuple[EvidenceView, ...] = ()
    """Documents, or sources, that report the claim without endorsing it; no score counts them."""
    irrelevant: int
    """Number of documents that do none of these."""


class ConflictUsage(Result):
    """Cost of the score."""

    judgements: int
    """Number of pairs of a claim and a passage."""
    model_calls: int
    """Calls of a language model; the compact judge makes none."""
    input_tokens: int
    """Tokens read, those of the compact judge included."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """Duration of the scoring."""


class ConflictScoreView(Result):
    """The extent to which a response states as settled what its documents dispute; lower is better."""

    cs_c: Score | None
    """ConflictScore-Count: the share of claims that are both supported and contradicted; null without claims."""
    cs_r: Score | None
    """ConflictScore-Ratio: the mean of `ratio` over the claims; null if it is defined for none."""
    weighted_cs_c: Score | None
    """CS-C in which a conflict counts the highest reliability on the weaker side over that on the stronger side."""
    weighted_cs_r: Score | None
    """CS-R in which each document counts the reliability of its source."""
    claims: tuple[ClaimView, ...]
    """The claims of the response, in its order."""
    uncovered: int
    """Claims that no document supports and none contradicts."""
    documents: int
    """Documents against which claims were judged; all that was found of one source of the corpus counts as one."""
    judge: str
    """Name of the judge."""
    splitter: str
    """Name of what split the response into claims."""
    notes: tuple[str, ...] = ()
    """Notes on how the score came about."""
    usage: ConflictUsage


class AttemptView(Result):
    """A reply of the language model that was asked to rewrite a response."""

    reply: str
    """The reply of the model."""
    refusal: ReplyRefusal | None
    """The reason why the reply was not used: it was empty, copied what the model was sent, too long, named no publisher
    of a side (`side_missing`), or nothing of what the contradicting publishers say (`same_answer`); null if it was
    used."""


class RegeneratedView(Result):
    """The response rewritten with its contested claims fed back."""

    response: str
    """The rewritten response, the one that was sent, or who contradicts the one that was sent; see `outcome`."""
    outcome: ResponseOutcome
    """`rewritten`; `withdrawn` if no rewriting could be used and no document supports any of it, so that `response`
    says who contradicts it; `kept` if no rewriting could be used and documents support some of it; `uncontested` if no
    document contradicts it."""
    contested: int
    """Number of claims that were fed back."""
    untold: tuple[str, ...]
    """Contested claims for which `response` does not say who contradicts them and how."""
    attempts: tuple[AttemptView, ...]
    """The replies of the language model, two at most."""
    conflict_score: ConflictScoreView | None
    """Score of the rewritten response against the same documents; null if it was not rewritten."""
    prompt: str | None
    """Name of the prompt."""
    prompt_hash: str | None
    """SHA-256 of the prompt."""
    usage: dict[str, Any]
    """Model calls, tokens and milliseconds of the rewriting."""
    note: str | None = None
    """The reason why the response is none of the replies although claims are contested."""


class ConflictAnswer(Result):
    """The score of a response, and the regenerated response if it was requested."""

    score: ConflictScoreView
    """CS-C and CS-R, and the evidence on every claim."""
    regenerated: RegeneratedView | None
    """Null unless it was requested."""
