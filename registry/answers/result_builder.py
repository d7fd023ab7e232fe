"""The answer put together from what was selected: pure, every number where its reader will look for it."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from answering.equivalence import classify
from answering.voting.certificate import Certificate, certify
from answering.voting.outcome import decide
from answering.voting.vote import Ballot, VoteResult, confidence, weighted_vote
from registry.answers.citations import citations
from registry.answers.evidence import Heard, Walked
from registry.inputs.answers import AnswerParameters
from registry.results.answer import (
    AnswerResult,
    CertificateView,
    Dissent,
    RejectedSource,
    SelectedSource,
    TallyEntry,
    UsageView,
)
from registry.store.reliabilities import Reliabilities, SourceReliability
from registry.store.weights import Weights

# Those that were read come first; a list of every source that was not would bury them.
MAX_REJECTED = 100


def answer_result(
    current: Reliabilities, weights: Weights, walked: Walked, parameters: AnswerParameters, milliseconds: float
) -> AnswerResult:
    """The whole answer from what the walk heard; `milliseconds` is the time since the question came."""
    by_id = {standing.source_id: standing for standing in current.sources}
    ballots = ballots_of(walked, weights, parameters)
    vote = weighted_vote(ballots)
    supporters = set(vote.tally[0].supporters) if vote.winner is not None else set()
    rejected = walked.selection.rejected
    return AnswerResult(
        outcome=decide(vote, retrieved=walked.selection.retrieved, min_margin=parameters.min_margin),
        answers=_answers(vote),
        confidence=_confidence(ballots, weights, vote.winner),
        margin=vote.margin,
        strategy=parameters.strategy,
        selected_sources=tuple(
            selected_source(
                by_id[ballot.source_id],
                walked.heard[ballot.source_id],
                reliability=by_id[ballot.source_id].reliability,
                weight=ballot.weight,
                voice=by_id[ballot.source_id].voice,
                supports=ballot.source_id in supporters,
            )
            for ballot in ballots
        ),
        rejected_sources=tuple(
            rejected_source(by_id[one.source.id], one.reason, walked.heard.get(one.source.id))
            for one in rejected[:MAX_REJECTED]
        ),
        rejected_total=len(rejected),
        tally=tally_entries(vote, weights),
        dissent=dissents(vote, by_id),
        certificate=certificate_view(certify(ballots), vote),
        citations=citations([ballot.source_id for ballot in ballots if ballot.source_id in supporters], walked.heard),
        estimation_id=current.estimation_id,
        stop_reason=walked.selection.stop_reason,
        notes=_notes(current),
        usage=UsageView(
            readings=walked.selection.readings,
            readings_cached=walked.cached,
            model_calls=walked.usage.model_calls,
            input_tokens=walked.usage.input_tokens,
            output_tokens=walked.usage.output_tokens,
            milliseconds=milliseconds,
        ),
    )


def ballots_of(walked: Walked, weights: Weights, parameters: AnswerParameters) -> list[Ballot[UUID]]:
    """The votes of the selected sources."""
    selected = [one.source.id for one in walked.selection.selected]
    said = [walked.heard[source_id].answer or "" for source_id in selected]
    classes = classify(said, parameters.class_policy)
    keys = {source_id: classes.class_of(place).key for place, source_id in enumerate(selected)}
    shares = weights.shares(keys)
    return [
        Ballot(source_id, keys[source_id], said[place], weights.weight(source_id) * shares[source_id])
        for place, source_id in enumerate(selected)
    ]


def _confidence(ballots: Sequence[Ballot[UUID]], weights: Weights, winner: str | None) -> float:
    """Of the winner, by independent voices: what copiers repeat makes nothing likelier."""
    heard = set(weights.independent({ballot.source_id: ballot.answer_key for ballot in ballots}))
    voices = [ballot for ballot in ballots if ballot.source_id in heard]
    return confidence(voices, {source_id: weights.reliability(source_id) for source_id in heard}, winner)


def _answers(vote: VoteResult[UUID]) -> tuple[str, ...]:
    """The winner; with a tie all that share the first place."""
    if not vote.tally:
        return ()
    if not vote.tied:
        return (vote.tally[0].answer,)
    return tuple(line.answer for line in vote.tally if line.weight >= vote.tally[0].weight - 1e-9)


def _notes(current: Reliabilities) -> Sequence[str]:
    if current.estimation_id is None:
        return ("No estimation of this corpus exists yet: every source without an override counts the same.",)
    return ()


def selected_source(
    standing: SourceReliability,
    heard: Heard,
    *,
    reliability: float | None,
    weight: float,
    voice: int | None,
    supports: bool,
) -> SelectedSource:
    """A source that took part in the vote."""
    return SelectedSource(
        source_id=standing.source_id,
        external_id=standing.external_id,
        name=standing.name,
        reliability=reliability,
        overridden=standing.override is not None,
        weight=weight,
        voice=voice,
        relevance=min(heard.relevance, 1.0),
        answer=heard.answer or "",
        reading_confidence=heard.confidence,
        supports=supports,
    )


def rejected_source(standing: SourceReliability, reason: str, heard: Heard | None) -> RejectedSource:
    """A source that did not, and why."""
    return RejectedSource(
        source_id=standing.source_id,
        external_id=standing.external_id,
        name=standing.name,
        reliability=standing.reliability,
        reason=reason,
        reading=heard.answer if heard else None,
    )


def tally_entries(vote: VoteResult[UUID], weights: Weights) -> tuple[TallyEntry, ...]:
    """The answer classes, the winner first."""
    return tuple(
        TallyEntry(
            answer=line.answer,
            weight=line.weight,
            share=line.share,
            votes=line.count,
            voices=weights.voices(line.supporters),
            source_ids=line.supporters,
        )
        for line in vote.tally
    )


def dissents(vote: VoteResult[UUID], standings: Mapping[UUID, SourceReliability]) -> tuple[Dissent, ...]:
    """The selected sources that say otherwise."""
    return tuple(
        Dissent(
            source_id=ballot.source_id,
            name=standings[ballot.source_id].name,
            reliability=standings[ballot.source_id].reliability,
            answer=ballot.answer,
        )
        for ballot in vote.dissent
    )


def certificate_view(certificate: Certificate[UUID], vote: VoteResult[UUID]) -> CertificateView:
    """What it would take to flip the answer."""
    wording = next((line.answer for line in vote.tally if line.key == certificate.challenger), None)
    return CertificateView(size=certificate.size, source_ids=certificate.sources, challenger=wording)
