"""The evidence of a ConflictScore, the stance of every document on every claim, and the two metrics made of it."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from answering.conflict.claims import Claim
from answering.enums import Uncovered
from answering.errors import BadParameter
from answering.judges import Judgement, Label, Quote
from answering.models.usage import Usage


@dataclass(frozen=True, slots=True)
class ClaimWeights:
    """The weights, in [0, 1], of the documents that support a claim (D+) and of those that contradict it (D-).

    >>> ClaimWeights(supporting=(0.9, 0.6), contradicting=(0.5,)).ratio
    0.25
    """

    supporting: tuple[float, ...] = ()
    contradicting: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for weight in (*self.supporting, *self.contradicting):
            if not 0.0 <= weight <= 1.0:
                raise BadParameter(f"the weight of a document is a share: 0 to 1, not {weight}")

    @property
    def conflict(self) -> float:
        """The largest weight of the lighter side divided by that of the heavier one, in [0, 1]; 0 if a side is empty.

        With equal weights 1 where both sides are non-empty, as the paper has it. A document of weight 0 is on no side.
        """
        largest = max(self.supporting, default=0.0), max(self.contradicting, default=0.0)
        return min(largest) / max(largest) if min(largest) > 0 else 0.0

    @property
    def ratio(self) -> float | None:
        """`|D-| / (|D+| + |D-|)`, of weights; None where no document of any weight speaks of the claim."""
        total = math.fsum((*self.supporting, *self.contradicting))
        return math.fsum(self.contradicting) / total if total > 0 else None


@dataclass(frozen=True, slots=True)
class Scores:
    """CS-C and CS-R, in [0, 1], the lower the better; None where there is no claim to take the mean over."""

    cs_c: float | None
    cs_r: float | None


def conflict_scores(claims: Sequence[ClaimWeights], uncovered: Uncovered = Uncovered.ZERO) -> Scores:
    """CS-C, the mean of `conflict` over all claims, and CS-R, the mean of `ratio` (ConflictScore, section 3).

    >>> conflict_scores([ClaimWeights((1.0,), (1.0,)), ClaimWeights((1.0, 1.0))])
    Scores(cs_c=0.5, cs_r=0.25)
    """
    ratios = [claim.ratio for claim in claims]
    defined = [ratio for ratio in ratios if ratio is not None]
    count = len(defined) if uncovered is Uncovered.OMIT else len(ratios)
    return Scores(_mean([claim.conflict for claim in claims], len(claims)), _mean(defined, count))


def _mean(values: Sequence[float], count: int) -> float | None:
    return math.fsum(values) / count if count else None


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A piece of text as a judge is shown it, its first character (code point) in the text that it was cut from, and
    the key of that text.

    >>> DocumentPart("The bridge was opened in 1911.", start=120, origin="guide.html").start
    120
    """

    text: str
    start: int = 0
    origin: str = ""


@dataclass(frozen=True, slots=True)
class GroundingDocument:
    """A document against which claims are judged; however many parts it has, it has one stance on a claim.

    It may be all that one source published: a source that repeats itself counts once. `key` is unique.
    `reliability` is that of its source, in [0, 1], None where it is not known. Documents of one `copy_group` with the
    same stance count once; None is a group of its own.

    >>> GroundingDocument.whole("d1", "The bridge was opened in 1911.", source="Herald").parts[0].origin
    'd1'
    """

    key: str
    parts: tuple[DocumentPart, ...]
    source: str = ""
    reliability: float | None = None
    copy_group: Hashable = None
    copies: tuple[str, ...] = ()
    """Names of further sources that it stands for."""

    @classmethod
    def whole(cls, key: str, text: str, *, source: str = "", reliability: float | None = None) -> "GroundingDocument":
        """A document that is short enough to be judged in one part."""
        return cls(key, (DocumentPart(text, 0, key),), source, reliability)


@dataclass(frozen=True, slots=True)
class DocumentStance:
    """The stance of one document on one claim; `probabilities` sum to 1.

    `part` is the part that says it most clearly, None where the document is irrelevant. `quote` is where it says so, in
    characters of the text that the part was cut from; None where it is irrelevant or the judge cannot say.
    """

    document: GroundingDocument
    label: Label
    probabilities: Mapping[Label, float]
    part: DocumentPart | None = None
    quote: Quote | None = None
    note: str | None = None

    @property
    def probability(self) -> float:
        return self.probabilities[self.label]


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """A claim, and the stance of every document against which it was judged."""

    claim: Claim
    stances: tuple[DocumentStance, ...]

    def labelled(self, label: Label) -> tuple[DocumentStance, ...]:
        return tuple(stance for stance in self.stances if stance.label is label)

    def independent(self, label: Label) -> list[list[DocumentStance]]:
        """The stances with this label, those of copies together."""
        groups: defaultdict[Hashable, list[DocumentStance]] = defaultdict(list)
        for stance in self.labelled(label):
            document = stance.document
            groups[(None, document.key) if document.copy_group is None else document.copy_group].append(stance)
        return list(groups.values())

    @property
    def conflicting(self) -> bool:
        """Whether some document supports the claim and some document contradicts it."""
        return bool(self.labelled(Label.SUPPORTS) and self.labelled(Label.CONTRADICTS))

    def weights(self, weight: Callable[[GroundingDocument], float]) -> ClaimWeights:
        """The weights of the documents in D+ and D- of the claim; copies have one, the mean."""
        supporting, contradicting = (
            tuple(fmean(weight(stance.document) for stance in copies) for copies in self.independent(label))
            for label in (Label.SUPPORTS, Label.CONTRADICTS)
        )
        return ClaimWeights(supporting, contradicting)


@dataclass(frozen=True, slots=True)
class ConflictScore:
    """The evidence on every claim of a response, the names of splitter and judge, and the cost.

    >>> ConflictScore((), "rules:1", "scripted", Usage()).scores()
    Scores(cs_c=None, cs_r=None)
    """

    claims: tuple[ClaimEvidence, ...]
    splitter: str
    judge: str
    usage: Usage
    notes: tuple[str, ...] = ()

    def scores(self, uncovered: Uncovered = Uncovered.ZERO) -> Scores:
        """CS-C and CS-R of the paper: every document counts 1."""
        return conflict_scores([claim.weights(lambda _: 1.0) for claim in self.claims], uncovered)

    def weighted_scores(self, default: float, uncovered: Uncovered = Uncovered.ZERO) -> Scores:
        """CS-C and CS-R with every document counted by the reliability of its source, `default` where unknown."""

        def weight(document: GroundingDocument) -> float:
            return default if document.reliability is None else document.reliability

        return conflict_scores([claim.weights(weight) for claim in self.claims], uncovered)

    @property
    def contested(self) -> tuple[ClaimEvidence, ...]:
        """The claims that some document contradicts, whether or not another supports them."""
        return tuple(claim for claim in self.claims if claim.labelled(Label.CONTRADICTS))


def stance_of(
    document: GroundingDocument, judgements: Sequence[Judgement], min_probability: float = 0.0
) -> DocumentStance:
    """The stance of a document from one judgement of each of its parts.

    The strongest support, contradiction and report count. The document is irrelevant if every part is, if it has no
    parts, and if its label is less probable than `min_probability`.
    """
    if not judgements:
        return DocumentStance(document, Label.IRRELEVANT, Judgement.certain(Label.IRRELEVANT).probabilities)
    strongest = {
        label: (min if label is Label.IRRELEVANT else max)(judgement.probabilities[label] for judgement in judgements)
        for label in Label
    }
    total = math.fsum(strongest.values())
    probabilities = {label: probability / total for label, probability in strongest.items()}
    # Of equals the first one: support in part is support.
    label = max(probabilities, key=lambda label: probabilities[label])
    note = next((judgement.note for judgement in judgements if judgement.note), None)
    if label is Label.IRRELEVANT or probabilities[label] < min_probability:
        return DocumentStance(document, Label.IRRELEVANT, probabilities, note=note)
    return DocumentStance(document, label, probabilities, *_clearest(label, document.parts, judgements), note)


def _clearest(
    label: Label, parts: Sequence[DocumentPart], judgements: Sequence[Judgement]
) -> tuple[DocumentPart, Quote | None]:
    """The part with the most probable label, one with a quote if there is any, and the quote in its text."""
    judged = list(zip(parts, judgements, strict=True))
    quoted = [(part, judgement) for part, judgement in judged if judgement.label is label and judgement.quote]
    part, judgement = max(quoted or judged, key=lambda pair: pair[1].probabilities[label])
    quote = judgement.quote if quoted else None
    return part, quote and Quote(part.start + quote.start, part.start + quote.end, quote.text)
