"""The result of a ConflictScore as it is stored and shown, from its evidence."""

from collections.abc import Mapping

from answering.conflict import ConflictScore
from answering.conflict.evidence import ClaimEvidence, DocumentStance
from answering.conflict.metrics import Uncovered
from answering.judges import Label
from registry.conflict_scores.documents import DocumentReference
from registry.results.conflict_score import ClaimView, ConflictScoreView, ConflictUsage, EvidenceView


def conflict_view(
    score: ConflictScore,
    references: Mapping[str, DocumentReference],
    *,
    default: float,
    uncovered: Uncovered = Uncovered.ZERO,
    milliseconds: float,
) -> ConflictScoreView:
    """The whole score; `default` is the reliability of sources for which there is no estimate."""
    plain, weighted = score.scores(uncovered), score.weighted_scores(default, uncovered)
    claims = tuple(_claim(claim, references) for claim in score.claims)
    documents = [stance.document for claim in score.claims for stance in claim.stances]
    return ConflictScoreView(
        cs_c=plain.cs_c,
        cs_r=plain.cs_r,
        weighted_cs_c=weighted.cs_c,
        weighted_cs_r=weighted.cs_r,
        claims=claims,
        uncovered=sum(not (claim.supporting or claim.contradicting) for claim in claims),
        documents=len({document.key for document in documents}),
        judge=score.judge,
        splitter=score.splitter,
        notes=score.notes,
        usage=ConflictUsage(
            judgements=sum(len(document.parts) for document in documents),
            model_calls=score.usage.model_calls,
            input_tokens=score.usage.input_tokens,
            output_tokens=score.usage.output_tokens,
            milliseconds=milliseconds,
        ),
    )


def _claim(evidence: ClaimEvidence, references: Mapping[str, DocumentReference]) -> ClaimView:
    return ClaimView(
        text=evidence.claim.text,
        start=evidence.claim.start,
        end=evidence.claim.end,
        conflicting=evidence.conflicting,
        ratio=evidence.weights(lambda _: 1.0).ratio,
        supporting=tuple(_evidence(stance, references) for stance in evidence.labelled(Label.SUPPORTS)),
        contradicting=tuple(_evidence(stance, references) for stance in evidence.labelled(Label.CONTRADICTS)),
        irrelevant=len(evidence.labelled(Label.IRRELEVANT)),
    )


def _evidence(stance: DocumentStance, references: Mapping[str, DocumentReference]) -> EvidenceView:
    part, quote = stance.part or stance.document.parts[0], stance.quote
    reference = references[part.origin]
    return EvidenceView(
        source_id=reference.source_id,
        source=reference.source,
        reliability=stance.document.reliability,
        document_id=reference.document_id,
        document_external_id=reference.external_id,
        title=reference.title,
        probability=min(stance.probability, 1.0),
        quote=quote.text if quote else None,
        start=quote.start if quote else None,
        end=quote.end if quote else None,
        note=stance.note,
    )
