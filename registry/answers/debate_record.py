"""A debate as it is stored: pure, and such that Postgres can hold whatever the model wrote."""

from answering.debates import Turn
from registry.answers.debate import Debated
from registry.answers.debate_documents import Shelved
from registry.results.debate import DebateAnswerView, DebateDocument, DebateUsage, DebateView, TurnView
from registry.store.readings import storable


def debate_view(debated: Debated) -> DebateView:
    """The debate as it is stored."""
    result = debated.result
    return DebateView(
        strategy=debated.strategy,
        settings=dict(debated.settings),
        model=storable(debated.model),
        answers=tuple(
            DebateAnswerView(answer=storable(one.answer), confidence=one.confidence, documents=one.documents)
            for one in result.answers
        ),
        unsupported=tuple(map(storable, result.unsupported)),
        explanation=storable(result.explanation),
        stop_reason=result.stop_reason,
        rounds=result.rounds,
        documents=tuple(_document(name, one) for name, one in debated.documents.items()),
        transcript=tuple(map(_turn, result.transcript)),
        usage=DebateUsage(
            model_calls=result.usage.model_calls,
            input_tokens=result.usage.input_tokens,
            output_tokens=result.usage.output_tokens,
            milliseconds=result.seconds * 1000,
        ),
    )


def _document(name: str, one: Shelved) -> DebateDocument:
    return DebateDocument(
        id=name,
        source_id=one.standing.source_id,
        source=one.standing.name,
        reliability=one.standing.reliability,
        selected=one.selected,
        document_id=one.passages[0].document_id,
        document_external_id=one.passages[0].external_id,
        title=one.passages[0].title,
        published_at=one.passages[0].published_at,
    )


def _turn(turn: Turn) -> TurnView:
    return TurnView(
        round=turn.round,
        agent=turn.agent,
        kind=turn.kind,
        status=turn.status,
        prompt=turn.prompt,
        prompt_hash=turn.prompt_hash,
        said=storable(turn.said),
        unreadable=tuple(map(storable, turn.unreadable)),
        error=None if turn.error is None else storable(turn.error),
        model_calls=turn.usage.model_calls,
        input_tokens=turn.usage.input_tokens,
        output_tokens=turn.usage.output_tokens,
        milliseconds=turn.usage.milliseconds,
    )
