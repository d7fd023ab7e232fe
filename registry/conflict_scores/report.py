"""From the evidence to what is stored and shown: pure."""

from collections.abc import Mapping

from answering.conflict import ClaimEvidence, ConflictScore, DocumentStance, Uncovered
from answering.judges import Label
from registry.conflict_scores.documents import DocumentReference
from registry.results.conflict_score import ClaimView, ConflictScoreView, ConflictUsage, EvidenceView


def conflict_view(
    scored: ConflictScore,
    names: Mapping[str, DocumentReference],
    *,
    default: float,
    uncovered: Uncovered = Uncovered.ZERO,
    milliseconds: float,
) -> ConflictScoreView:
    """The whole score; `default` is the reliability of sources of which nobody knows it."""
    plain, weighted = scored.scores(uncovered), scored.weighted_scores(default, uncovered)
    claims = tuple(_claim(one, names) for one in scored.claims)
    return ConflictScoreView(
        cs_c=plain.cs_c,
        cs_r=plain.cs_r,
        weighted_cs_c=weighted.cs_c,
        weighted_cs_r=weighted.cs_r,
        claims=claims,
        uncovered=sum(not (one.supporting or one.contradicting) for one in claims),
        documents=len({finding.document.key for one in scored.claims for finding in one.findings}),
        judge=scored.judge,
        splitter=scored.splitter,
        notes=scored.notes,
        usage=ConflictUsage(
            judgements=sum(len(finding.document.parts) for one in scored.claims for finding in one.findings),
            model_calls=scored.usage.model_calls,
            input_tokens=scored.usage.input_tokens,
            output_tokens=scored.usage.output_tokens,
            milliseconds=milliseconds,
        ),
    )


def _claim(one: ClaimEvidence, names: Mapping[str, DocumentReference]) -> ClaimView:
    return ClaimView(
        text=one.claim.text,
        start=one.claim.start,
        end=one.claim.end,
        conflicting=one.conflicting,
        ratio=one.sides(lambda _: 1.0).ratio,
        supporting=tuple(_evidence(finding, names) for finding in one.of(Label.SUPPORTS)),
        contradicting=tuple(_evidence(finding, names) for finding in one.of(Label.CONTRADICTS)),
        irrelevant=len(one.of(Label.IRRELEVANT)),
    )


def _evidence(finding: DocumentStance, names: Mapping[str, DocumentReference]) -> EvidenceView:
    part, quote = finding.part or finding.document.parts[0], finding.quote
    known = names[part.origin]
    return EvidenceView(
        source_id=known.source_id,
        source=known.source,
        reliability=finding.document.reliability,
        document_id=known.document_id,
        document_external_id=known.external_id,
        title=known.title,
        probability=min(finding.probability, 1.0),
        quote=quote.text if quote else None,
        start=quote.start if quote else None,
        end=quote.end if quote else None,
        note=finding.note,
    )
