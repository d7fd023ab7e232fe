"""Questions with their documents as the service would hold a response against them."""

from answering.conflict import ClaimDocuments, DocumentPart, GroundingDocument, rule_claims
from benchmarks.judge_sets import ClaimSet
from registry.ingest.chunking import chunk
from registry.inputs.documents import MediaType

PASSAGE_CHARACTERS = 800


def grounds_of(one: ClaimSet) -> list[ClaimDocuments]:
    """The claims of the answer, each against the documents of the set."""
    documents = tuple(document_of(str(place), document.text) for place, document in enumerate(one.documents))
    return [ClaimDocuments(claim, documents) for claim in rule_claims(one.answer, one.question)]


def document_of(key: str, text: str, reliability: float | None = None) -> GroundingDocument:
    """A document in the parts that the service would cut it into."""
    pieces = chunk(text, MediaType.TEXT, characters=PASSAGE_CHARACTERS)
    return GroundingDocument(
        key, tuple(DocumentPart(piece.content, piece.start, key) for piece in pieces), key, reliability
    )
