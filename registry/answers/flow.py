"""From a question to its answer, whatever the strategy."""

import asyncio
from dataclasses import replace

from answering.debates import Action, DebateResources, Decision, VoteEvidence, decide
from answering.errors import ModelError
from registry.answers import report
from registry.answers.conflict_score import Composed, with_conflict_score, with_judging
from registry.answers.context import Asking
from registry.answers.debate import documents_of, hold, least_calls, left_of
from registry.answers.vote import Poll, poll
from registry.errors import TooSlow
from registry.inputs.strategies import Strategy
from registry.results.answer import AnswerResult


async def answer(asking: Asking) -> AnswerResult:
    """The whole answer. Raises what went wrong, `TooSlow` among others."""
    await asking.require_models()
    seconds = asking.runtime.settings.answer_timeout_seconds
    try:
        async with asyncio.timeout(seconds):
            composed = await _composed(asking)
    except TimeoutError as error:
        raise TooSlow(
            f"No answer within {seconds:g} seconds (CREDENCE_ANSWER_TIMEOUT_SECONDS). Readings made so far are kept, "
            "so that asking again goes on from there; or ask with a smaller kappa or max_readings."
        ) from error
    return await _scored(asking, composed)


async def _composed(asking: Asking) -> Composed:
    polled = await poll(asking)
    await asking.progress("voted", report.vote_step(polled.result))
    strategy = asking.parameters.strategy
    if strategy is Strategy.AUTO:
        return await _auto(asking, polled)
    return await _debated(asking, polled) if strategy.debates else polled.composed()


async def _debated(asking: Asking, polled: Poll) -> Composed:
    debated = await hold(asking, polled)
    found = tuple(passage for one in debated.documents.values() for passage in one.passages)
    return polled.composed(report.with_debate(polled, debated, asking.seconds), found)


async def _auto(asking: Asking, polled: Poll) -> Composed:
    """The cheapest that the evidence allows. A debate that cannot be held at all leaves the vote as it is."""
    voted = polled.composed()
    voted = replace(voted, result=await _scored(asking, voted))
    decision = await _decide(asking, polled, voted.result)
    if decision.action is Action.DEBATE:
        try:
            debated = await _debated(asking, polled)
        except ModelError as error:
            return replace(voted, result=report.undebated(voted.result, decision, error))
        result = debated.result
        if voted.result.conflict_score is not None:
            result = result.model_copy(update={"usage": with_judging(result.usage, voted.result.conflict_score)})
        return replace(debated, result=report.with_decision(result, decision))
    if decision.action is Action.SIDE_BY_SIDE:
        every = report.side_by_side(polled, voted.result)
        return replace(voted, result=report.with_decision(every, decision))
    return replace(voted, result=report.with_decision(voted.result, decision))


async def _decide(asking: Asking, polled: Poll, voted: AnswerResult) -> Decision:
    score = voted.conflict_score
    evidence = VoteEvidence(
        polled.vote,
        polled.certificate,
        voted.confidence if voted.answers else None,
        score.cs_r if score else None,
    )
    choice = asking.parameters
    documents = min(documents_of(polled.found), choice.max_documents)
    least = least_calls(choice, documents, answered=bool(polled.ballots))
    means = DebateResources(asking.runtime.chat is not None, await left_of(asking), least, documents > 0)
    return decide(evidence, means, choice.auto_settings())


async def _scored(asking: Asking, composed: Composed) -> AnswerResult:
    result = composed.result
    if result.conflict_score is not None or result.conflict_score_missing is not None:
        return result
    return await with_conflict_score(asking.runtime, asking.question, composed)
