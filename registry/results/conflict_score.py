"""A ConflictScore as it is stored and shown: both numbers, and for every claim who says so and who says otherwise."""

from typing import Any
from uuid import UUID

from registry.results.base import Result, Score


class EvidenceView(Result):
    """What one document says about a claim; of a source in the corpus, the one that says it most clearly."""

    source_id: UUID | None
    """The source in this corpus; null for a document that came with the request and names none."""
    source: str
    """Who published it."""
    reliability: Score | None
    """Of the source, at that time; null where nobody knows it."""
    document_id: UUID | None
    """The document in this corpus; null for one that came with the request."""
    document_external_id: str
    """Yours."""
    title: str
    """Of the document."""
    probability: Score
    """How sure the judge is of what the document says."""
    quote: str | None
    """Where it says so: stands verbatim in the document from start to end; null where the judge cannot say."""
    start: int | None
    """First character (code point) of the quote in the document's text."""
    end: int | None
    """One past its last character."""
    note: str | None
    """What went wrong while it was judged, if something did."""


class ClaimView(Result):
    """A claim and the evidence on it."""

    text: str
    """The claim, as it was judged."""
    start: int | None
    """Where the response makes it: the first character; null where its words stand nowhere in a row."""
    end: int | None
    """One past the last character."""
    conflicting: bool
    """Whether some document supports it and some document contradicts it."""
    ratio: Score | None
    """Contradicting documents, of those that support or contradict; null where there are none."""
    supporting: tuple[EvidenceView, ...]
    """D+: the documents, or sources, that say so, wholly or in part."""
    contradicting: tuple[EvidenceView, ...]
    """D-: the documents, or sources, that say what cannot be true together with it."""
    irrelevant: int
    """How many documents say neither."""


class ConflictUsage(Result):
    """What the score cost."""

    judgements: int
    """Claims times passages."""
    model_calls: int
    """Calls of a language model; the compact judge makes none."""
    input_tokens: int
    """Tokens read, those of the compact judge included."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """From the response to its score."""


class ConflictScoreView(Result):
    """How far a response states as settled what its documents dispute; the lower the better."""

    cs_c: Score | None
    """ConflictScore-Count: the share of claims that are both supported and contradicted; null without claims."""
    cs_r: Score | None
    """ConflictScore-Ratio: the mean of `ratio` over the claims; null where there is nothing to take it of."""
    weighted_cs_c: Score | None
    """The same, each conflict counted by how far the best source of one side is matched by that of the other."""
    weighted_cs_r: Score | None
    """The same, each document counted by the reliability of its source."""
    claims: tuple[ClaimView, ...]
    """The claims of the response, in its order."""
    uncovered: int
    """Claims that no document supports and none contradicts."""
    documents: int
    """Documents that claims were held against; what was found of one source in the corpus counts as one."""
    judge: str
    """Who judged."""
    splitter: str
    """Who took the response apart."""
    notes: tuple[str, ...] = ()
    """What a reader of this score should know."""
    usage: ConflictUsage


class RegeneratedView(Result):
    """The response written anew with its contested claims fed back."""

    response: str
    """The new response; the old one where nothing in it is contested, or the model's rewriting was of no use."""
    contested: int
    """How many claims were fed back."""
    conflict_score: ConflictScoreView | None
    """That of the new response, against the same documents; null where nothing changed."""
    prompt: str | None
    """Name of the prompt."""
    prompt_hash: str | None
    """SHA-256 of the prompt."""
    usage: dict[str, Any]
    """Model calls, tokens and milliseconds of the rewriting."""
    note: str | None = None
    """Why nothing changed although claims are contested."""
