"""The ConflictScore of an answer against the passages that it was read from, and how any ConflictScore is shown."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog

from answering.conflict import (
    ClaimDocuments,
    ConflictScore,
    DocumentPart,
    GroundingDocument,
    RuleSplitter,
    rule_claims,
    score_claims,
)
from answering.conflict.evidence import ClaimEvidence, DocumentStance
from answering.enums import JudgeKind, Uncovered
from answering.judges import Label
from answering.passages import RetrievedPassage
from answering.voting import Electorate
from estimator.errors import CredenceError
from registry.conflict_scores.schemas import ClaimView, ConflictScoreView, ConflictUsage, EvidenceView
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from registry.sources.reliabilities import SourceReliability

log = structlog.get_logger(__name__)

# The time limit of a score; an answer that exceeds it has none.
SECONDS = 20.0
SWITCHED_OFF = "Conflict scores of answers are switched off (CREDENCE_CONFLICT_JUDGE)."
NO_ANSWER = "There is no answer to score."
FAILED = "The judge failed; the log of the service has the reason."


@dataclass(frozen=True, slots=True)
class ConflictScoring:
    """The ConflictScore of some answers, or the reason why there is none."""

    score: ConflictScoreView | None = None
    missing: str | None = None


NO_COPIES: Mapping[UUID, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class DocumentReference:
    """Ids and names of a document and its source; an id is None for what is not in the corpus."""

    source_id: UUID | None
    source: str
    document_id: UUID | None
    external_id: str
    title: str


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """Documents in their order, and a reference for each text that a part was cut from, by its `origin`."""

    documents: tuple[GroundingDocument, ...]
    references: Mapping[str, DocumentReference]


async def score_answers(
    runtime: Runtime,
    question: str,
    answers: Sequence[str],
    *,
    passages: Sequence[RetrievedPassage],
    sources: Mapping[UUID, SourceReliability],
    electorate: Electorate[UUID],
    copies: Mapping[UUID, tuple[str, ...]],
) -> ConflictScoring:
    """The score of answers to a question against the passages that they were read from.

    A source counts what its vote does; `copies` are the names of others for which it stands. A score that fails never
    costs the answer.
    """
    if runtime.settings.conflict_judge is AnswerJudge.NONE:
        return ConflictScoring(missing=SWITCHED_OFF)
    if not answers:
        return ConflictScoring(missing=NO_ANSWER)

    async def score() -> ConflictScoreView:
        started = time.perf_counter()
        judge = runtime.judges.of(JudgeKind(runtime.settings.conflict_judge))
        library = named_documents(passages, sources, electorate, copies)
        # Answers are short, so that splitting them by rules is enough.
        claims = [claim for answer in answers for claim in rule_claims(answer, question)]
        judged = await score_claims([ClaimDocuments(claim, library.documents) for claim in claims], judge)
        score = ConflictScore(judged.claims, RuleSplitter.name, judge.name, judged.usage, judged.notes)
        milliseconds = (time.perf_counter() - started) * 1000
        return conflict_view(score, library.references, default=electorate.prior, milliseconds=milliseconds)

    task = asyncio.create_task(score())
    try:
        # The task is not awaited: what it raises is the reason for a missing score and does not end the answer.
        await asyncio.wait({task}, timeout=SECONDS)
    finally:
        finished = task.done()
        task.cancel()
    if not finished:
        return ConflictScoring(missing=f"No score within {SECONDS:g} seconds.")
    error = task.exception()
    return ConflictScoring(score=task.result()) if error is None else ConflictScoring(missing=_reason(error))


def _reason(error: BaseException) -> str:
    log.warning("conflict_score_missing", exc_info=error)
    return f"The judge failed: {error}" if isinstance(error, CredenceError) else FAILED


def named_documents(
    retrieved: Iterable[RetrievedPassage],
    sources: Mapping[UUID, SourceReliability],
    electorate: Electorate[UUID],
    copies: Mapping[UUID, tuple[str, ...]] = NO_COPIES,
) -> NamedDocuments:
    """The passages of each source as one document, which counts what its vote does: a source counts once, however many
    of its passages there are. `copies` are the names of others for which it stands.
    """
    by_source: dict[UUID, dict[DocumentPart, None]] = {}
    references: dict[str, DocumentReference] = {}
    for passage in retrieved:
        origin, source = str(passage.document_id), sources[passage.source_id]
        references[origin] = DocumentReference(
            source.source_id, source.name, passage.document_id, passage.external_id, passage.title
        )
        by_source.setdefault(passage.source_id, {})[DocumentPart(passage.content, passage.start, origin)] = None
    documents = tuple(
        GroundingDocument(
            str(source_id),
            tuple(parts),
            sources[source_id].name,
            electorate.reliability(source_id),
            electorate.copy_group(source_id),
            copies.get(source_id, ()),
        )
        for source_id, parts in by_source.items()
    )
    return NamedDocuments(documents, references)


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
        supporting=tuple(_evidence(copies, references) for copies in evidence.independent(Label.SUPPORTS)),
        contradicting=tuple(_evidence(copies, references) for copies in evidence.independent(Label.CONTRADICTS)),
        reporting=tuple(_evidence(copies, references) for copies in evidence.independent(Label.REPORTS)),
        irrelevant=len(evidence.labelled(Label.IRRELEVANT)),
    )


def _evidence(copies: Sequence[DocumentStance], references: Mapping[str, DocumentReference]) -> EvidenceView:
    """The one of some copies that says it most clearly, with the names of the others."""
    stance, *others = sorted(copies, key=lambda copy: -copy.probability)
    names = dict.fromkeys((*stance.document.copies, *(other.document.source for other in others)))
    part, quote = stance.part or stance.document.parts[0], stance.quote
    reference = references[part.origin]
    return EvidenceView(
        source_id=reference.source_id,
        source=reference.source,
        reliability=stance.document.reliability,
        copies=tuple(name for name in names if name != reference.source),
        document_id=reference.document_id,
        document_external_id=reference.external_id,
        title=reference.title,
        probability=min(stance.probability, 1.0),
        quote=quote.text if quote else None,
        start=quote.start if quote else None,
        end=quote.end if quote else None,
        note=stance.note,
    )
