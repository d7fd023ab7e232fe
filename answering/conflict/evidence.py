"""What documents say about claims: the evidence of a ConflictScore, from which it can be computed again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answering.conflict.claims import Claim
from answering.conflict.documents import DocumentPart, GroundingDocument
from answering.conflict.score import ClaimWeights, Scores, Uncovered, conflict_scores
from answering.judges import Judgement, Label, Quote
from answering.models.usage import Usage

# Of equals the first wins, so that support in part is support.
_LABELS = (Label.SUPPORTS, Label.CONTRADICTS, Label.IRRELEVANT)


@dataclass(frozen=True, slots=True)
class DocumentStance:
    """What one document says about one claim; the probabilities sum to 1.

    `quote` is where it says so, in characters of the text that `part` was cut from; None where it is irrelevant or the
    judge cannot say. `part` is the part that says it most clearly, None where the document is irrelevant.
    """

    document: GroundingDocument
    label: Label
    supports: float
    contradicts: float
    irrelevant: float
    part: DocumentPart | None = None
    quote: Quote | None = None
    note: str | None = None

    @property
    def probability(self) -> float:
        """That of the label."""
        return _probability(self, self.label)


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """A claim, and what every document it was held against says about it."""

    claim: Claim
    findings: tuple[DocumentStance, ...]

    def of(self, label: Label) -> tuple[DocumentStance, ...]:
        """The findings with this label."""
        return tuple(finding for finding in self.findings if finding.label is label)

    @property
    def conflicting(self) -> bool:
        """Whether some document supports the claim and some document contradicts it."""
        return bool(self.of(Label.SUPPORTS) and self.of(Label.CONTRADICTS))

    def sides(self, weight: Callable[[GroundingDocument], float]) -> ClaimWeights:
        """D+ and D- of the claim, as the weights of their documents."""
        supporting, contradicting = (
            tuple(weight(finding.document) for finding in self.of(label))
            for label in (Label.SUPPORTS, Label.CONTRADICTS)
        )
        return ClaimWeights(supporting, contradicting)


@dataclass(frozen=True, slots=True)
class ConflictScore:
    """The evidence on every claim of a response, who found it, and what that cost."""

    claims: tuple[ClaimEvidence, ...]
    splitter: str
    judge: str
    usage: Usage
    notes: tuple[str, ...] = ()

    def scores(self, uncovered: Uncovered = Uncovered.ZERO) -> Scores:
        """CS-C and CS-R of the paper: every document counts 1."""
        return conflict_scores([one.sides(lambda _: 1.0) for one in self.claims], uncovered)

    def weighted_scores(self, default: float, uncovered: Uncovered = Uncovered.ZERO) -> Scores:
        """The same with every document counted by the reliability of its source, `default` where that is unknown."""

        def weight(document: GroundingDocument) -> float:
            return default if document.reliability is None else document.reliability

        return conflict_scores([one.sides(weight) for one in self.claims], uncovered)

    @property
    def contested(self) -> tuple[ClaimEvidence, ...]:
        """The claims with support and contradiction, and those with contradiction alone."""
        return tuple(one for one in self.claims if one.of(Label.CONTRADICTS))


def stance_of(
    document: GroundingDocument, judged: Sequence[tuple[DocumentPart, Judgement]], least: float = 0.0
) -> DocumentStance:
    """What a document says, from what its parts say: its strongest support and its strongest contradiction count.

    It is irrelevant where every part is, where it has none, and where its label is less probable than `least`.
    """
    if not judged:
        return DocumentStance(document, Label.IRRELEVANT, 0.0, 0.0, 1.0)
    supports = max(one.supports for _, one in judged)
    contradicts = max(one.contradicts for _, one in judged)
    irrelevant = min(one.irrelevant for _, one in judged)
    total = supports + contradicts + irrelevant
    shares = [supports / total, contradicts / total, irrelevant / total]
    best = max(shares)
    label = _LABELS[shares.index(best)] if best >= least else Label.IRRELEVANT
    note = next((one.note for _, one in judged if one.note), None)
    if label is Label.IRRELEVANT:
        return DocumentStance(document, label, shares[0], shares[1], shares[2], note=note)
    part, quote = _telling(label, judged)
    return DocumentStance(document, label, shares[0], shares[1], shares[2], part, quote, note)


def _telling(label: Label, judged: Sequence[tuple[DocumentPart, Judgement]]) -> tuple[DocumentPart, Quote | None]:
    """The part that says it most clearly, one with a quote if there is any, and its words, placed in their text."""
    quoted = [told for told in judged if told[1].label is label and told[1].quote is not None]
    part, judgement = max(quoted or judged, key=lambda told: _probability(told[1], label))
    evidence = judgement.quote if quoted else None
    return part, evidence and Quote(part.start + evidence.start, part.start + evidence.end, evidence.text)


def _probability(told: Judgement | DocumentStance, label: Label) -> float:
    shares = {Label.SUPPORTS: told.supports, Label.CONTRADICTS: told.contradicts, Label.IRRELEVANT: told.irrelevant}
    return shares[label]
