"""Claims and documents in the form in which the service scores a response."""

from answering.conflict import Claim, ClaimDocuments, DocumentPart, GroundingDocument, rule_claims
from benchmarks.data.claim_sets import ClaimSet
from registry.documents.extraction import chunk
from registry.documents.schemas import MediaType

PASSAGE_CHARACTERS = 800


def grounds_of(claims: ClaimSet) -> list[ClaimDocuments]:
    """The claims of the answer, each with the documents of the set."""
    documents = tuple(document_of(str(number), document.text) for number, document in enumerate(claims.documents))
    if not claims.answer:
        return [ClaimDocuments(Claim(claims.question), documents)]
    return [ClaimDocuments(claim, documents) for claim in rule_claims(claims.answer, claims.question)]


def document_of(key: str, text: str, reliability: float | None = None) -> GroundingDocument:
    """A document in the passages that the service would split it into."""
    chunks = chunk(text, MediaType.TEXT, characters=PASSAGE_CHARACTERS)
    parts = tuple(DocumentPart(passage.content, passage.start, key) for passage in chunks)
    return GroundingDocument(key, parts, key, reliability)
