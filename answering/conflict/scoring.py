"""ConflictScore of a response: split into claims, each judged against its documents, in batches."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answering.conflict.claims import Claim, Splitter
from answering.conflict.evidence import ClaimEvidence, ConflictScore, GroundingDocument, stance_of
from answering.errors import BadParameter
from answering.judges import Judge, Judgement, Label, Pair
from answering.models.usage import Usage

# A judge that is given so many pairs at once can be cancelled between two batches.
BATCH = 64


@dataclass(frozen=True, slots=True)
class ClaimDocuments:
    """A claim and the documents against which it is judged.

    >>> ClaimDocuments(Claim("It opened in 1911."), (GroundingDocument.whole("d1", "Opened in 1911."),)).claim.text
    'It opened in 1911.'
    """

    claim: Claim
    documents: tuple[GroundingDocument, ...]


@dataclass(frozen=True, slots=True)
class JudgedClaims:
    """The evidence on some claims, the cost of judging them, and what went wrong, if something did."""

    claims: tuple[ClaimEvidence, ...]
    usage: Usage
    notes: tuple[str, ...] = ()


async def score_response(
    response: str,
    documents: Sequence[GroundingDocument],
    *,
    judge: Judge,
    splitter: Splitter,
    question: str | None = None,
    min_probability: float = 0.0,
) -> ConflictScore:
    """Judges every claim of the response against every document. Raises ModelError if the judge or the splitter fails.

    Labels less probable than `min_probability` count as irrelevant.

    >>> import asyncio
    >>> from answering.conflict import RuleSplitter
    >>> from answering.judges import Label
    >>> from tests.fakes.scripted_judge import ScriptedJudge
    >>> documents = [GroundingDocument.whole("d1", "Opened in 1911."), GroundingDocument.whole("d2", "Opened in 1950.")]
    >>> judge = ScriptedJudge(lambda pair: Label.SUPPORTS if "1911" in pair.passage else Label.CONTRADICTS)
    >>> scoring = score_response("The bridge opened in 1911.", documents, judge=judge, splitter=RuleSplitter())
    >>> asyncio.run(scoring).scores()
    Scores(cs_c=1.0, cs_r=0.5)
    """
    split = await splitter.split(response, question)
    claims = [ClaimDocuments(claim, tuple(documents)) for claim in split.claims]
    judged = await score_claims(claims, judge, min_probability=min_probability)
    usage, notes = split.usage + judged.usage, split.notes + judged.notes
    return ConflictScore(judged.claims, splitter.name, judge.name, usage, notes)


async def score_claims(claims: Sequence[ClaimDocuments], judge: Judge, *, min_probability: float = 0.0) -> JudgedClaims:
    """Judges each claim against its own documents; equal pairs are judged once. Raises ModelError.

    >>> import asyncio
    >>> from answering.judges import Label
    >>> from tests.fakes.scripted_judge import ScriptedJudge
    >>> claims = [ClaimDocuments(Claim("It opened in 1911."), (GroundingDocument.whole("d1", "Opened in 1911."),))]
    >>> asyncio.run(score_claims(claims, ScriptedJudge(lambda pair: Label.SUPPORTS))).claims[0].conflicting
    False
    """
    if not 0.0 <= min_probability <= 1.0:
        raise BadParameter(f"the minimum probability of a label is 0 to 1, not {min_probability}")
    judgements = await _judge_all(pairs_to_judge(claims), judge)
    usage = sum((judgement.usage for judgement in judgements.values()), Usage())
    evidence = tuple(_evidence(claim, judgements, min_probability) for claim in claims)
    return JudgedClaims(evidence, usage, _notes(judgements.values()))


def pairs_to_judge(claims: Sequence[ClaimDocuments]) -> list[Pair]:
    """The pairs of claims and parts of documents, each once."""
    pairs = (
        Pair(claim.claim.text, part.text) for claim in claims for document in claim.documents for part in document.parts
    )
    return list(dict.fromkeys(pairs))


async def _judge_all(pairs: Sequence[Pair], judge: Judge) -> dict[Pair, Judgement]:
    judgements: list[Judgement] = []
    for start in range(0, len(pairs), BATCH):
        judgements += await judge.judge_all(pairs[start : start + BATCH])
    return dict(zip(pairs, judgements, strict=True))


def _notes(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """The reasons why passages could not be judged; irrelevant ones are not listed with their own notes."""
    reasons = Counter(item.note for item in judgements if item.note and item.label is Label.IRRELEVANT)
    return tuple(f"Passages that count as irrelevant: {count}. {reason}" for reason, count in reasons.items())


def _evidence(item: ClaimDocuments, judgements: Mapping[Pair, Judgement], min_probability: float) -> ClaimEvidence:
    stances = (
        stance_of(document, [judgements[Pair(item.claim.text, part.text)] for part in document.parts], min_probability)
        for document in item.documents
    )
    return ClaimEvidence(item.claim, tuple(stances))
