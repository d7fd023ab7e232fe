"""ConflictScore of a response: split into claims, each judged against its documents, in batches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answering.conflict.claims import Claim, Splitter
from answering.conflict.documents import GroundingDocument
from answering.conflict.evidence import ClaimEvidence, ConflictScore, stance_of
from answering.errors import BadParameter
from answering.judges import Judge, Judgement, Pair
from answering.models.usage import Usage

# A judge asked for so many pairs at once can be stopped between two batches.
BATCH = 64


@dataclass(frozen=True, slots=True)
class ClaimDocuments:
    """A claim and the documents that it is to be held against."""

    claim: Claim
    documents: tuple[GroundingDocument, ...]


async def score_response(
    response: str,
    documents: Sequence[GroundingDocument],
    *,
    judge: Judge,
    splitter: Splitter,
    question: str | None = None,
    least: float = 0.0,
) -> ConflictScore:
    """Every claim of the response against every document; labels less probable than `least` count as irrelevant.

    Raises ModelError where the judge or the splitter fails.
    """
    split = await splitter.split(response, question)
    scored = await score_claims([ClaimDocuments(claim, tuple(documents)) for claim in split.claims], judge, least=least)
    return ConflictScore(
        scored.claims,
        splitter.name,
        judge.name,
        split.usage + scored.usage,
        (split.note,) if split.note else (),
    )


@dataclass(frozen=True, slots=True)
class JudgedClaims:
    """The evidence on some claims, and what the judge took for it."""

    claims: tuple[ClaimEvidence, ...]
    usage: Usage


async def score_claims(grounds: Sequence[ClaimDocuments], judge: Judge, *, least: float = 0.0) -> JudgedClaims:
    """Each claim against its own documents. What is the same is judged once. Raises ModelError."""
    if not 0.0 <= least <= 1.0:
        raise BadParameter(f"the least probability of a label is 0 to 1, not {least}")
    judgements = await _judged(pairs_to_judge(grounds), judge)
    usage = sum((one.usage for one in judgements.values()), Usage())
    return JudgedClaims(tuple(_evidence(one, judgements, least) for one in grounds), usage)


def pairs_to_judge(grounds: Sequence[ClaimDocuments]) -> list[Pair]:
    """What is to be judged, each pair once."""
    return list(
        dict.fromkeys(
            Pair(one.claim.text, part.text) for one in grounds for document in one.documents for part in document.parts
        )
    )


async def _judged(pairs: Sequence[Pair], judge: Judge) -> dict[Pair, Judgement]:
    found: list[Judgement] = []
    for start in range(0, len(pairs), BATCH):
        found += await judge.judge_all(pairs[start : start + BATCH])
    return dict(zip(pairs, found, strict=True))


def _evidence(one: ClaimDocuments, judgements: Mapping[Pair, Judgement], least: float) -> ClaimEvidence:
    findings = (
        stance_of(document, [(part, judgements[Pair(one.claim.text, part.text)]) for part in document.parts], least)
        for document in one.documents
    )
    return ClaimEvidence(one.claim, tuple(findings))
