"""The answer put together from what was selected: pure, every number where its reader will look for it."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from answering.certificate import Certificate, certify
from answering.classes import classify
from answering.outcome import decide
from answering.vote import Ballot, VoteResult, confidence, weighted_vote
from registry.answer_view import (
    AnswerResult,
    CertificateView,
    Citation,
    Dissent,
    RejectedSource,
    SelectedSource,
    TallyEntry,
    UsageView,
)
from registry.heard import Heard, Walked
from registry.parameters import AnswerParameters
from registry.passages import FoundPassage
from registry.standings import Standing, Standings
from registry.weights import Weights

# Those that were read come first; a list of every source that was not would bury them.
MAX_REJECTED = 100
# A quote is a sentence or two around the answer, not the whole passage.
QUOTE_CHARACTERS = 300


def answer_result(
    current: Standings, weights: Weights, walked: Walked, parameters: AnswerParameters, milliseconds: float
) -> AnswerResult:
    """The whole answer from what the walk heard; `milliseconds` is the time since the question came."""
    by_id = {standing.source_id: standing for standing in current.items}
    ballots = _ballots(walked, weights, parameters)
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


def _ballots(walked: Walked, weights: Weights, parameters: AnswerParameters) -> list[Ballot[UUID]]:
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


def _notes(current: Standings) -> Sequence[str]:
    if current.estimation_id is None:
        return ("No estimation of this corpus exists yet: every source without an override counts the same.",)
    return ()


def selected_source(
    standing: Standing, heard: Heard, *, reliability: float | None, weight: float, voice: int | None, supports: bool
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


def rejected_source(standing: Standing, reason: str, heard: Heard | None) -> RejectedSource:
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


def dissents(vote: VoteResult[UUID], standings: Mapping[UUID, Standing]) -> tuple[Dissent, ...]:
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


def citations(supporters: Sequence[UUID], heard: Mapping[UUID, Heard]) -> tuple[Citation, ...]:
    """For each supporter the passage that holds its answer, as a quote that stands verbatim in the document."""
    found = ((source_id, _holding(heard[source_id])) for source_id in supporters)
    return tuple(_citation(source_id, *held) for source_id, held in found if held is not None)


def _holding(heard: Heard) -> tuple[FoundPassage, int, int] | None:
    """The place the answer was copied from; else the first passage with it; else the best passage from its start."""
    if heard.location is not None:
        return heard.passages[heard.location.passage], heard.location.start, heard.location.end
    answer = heard.answer or ""
    for passage in heard.passages:
        at = passage.content.casefold().find(answer.casefold())
        # Casefolding may change lengths; only where it does not are offsets of one those of the other.
        if at >= 0 and passage.content[at : at + len(answer)].casefold() == answer.casefold():
            return passage, at, at + len(answer)
    return (heard.passages[0], 0, 0) if heard.passages else None


def _citation(source_id: UUID, passage: FoundPassage, start: int, end: int) -> Citation:
    first, last = _window(passage.content, start, end)
    return Citation(
        source_id=source_id,
        document_id=passage.document_id,
        document_external_id=passage.external_id,
        title=passage.title,
        published_at=passage.published_at,
        start=passage.start + first,
        end=passage.start + last,
        quote=passage.content[first:last],
    )


def _window(content: str, start: int, end: int) -> tuple[int, int]:
    """At most `QUOTE_CHARACTERS` around [start, end), cut at spaces."""
    if len(content) <= QUOTE_CHARACTERS:
        return 0, len(content)
    spare = max(QUOTE_CHARACTERS - (end - start), 0) // 2
    first, last = max(start - spare, 0), min(end + spare, len(content))
    if first > 0:
        first = content.find(" ", first, start) + 1 or first
    if last < len(content):
        cut = content.rfind(" ", end, last)
        last = cut if cut > 0 else last
    return first, last
