"""The strategy `auto`: the vote where it is safe, otherwise all its answers, a debate, or no answer."""

from answering.debates import DebateResources, Decision, VoteEvidence, decide
from answering.debates.auto import Action
from answering.errors import ModelError
from answering.models.usage import Budget
from registry.answers.conclusion import (
    Conclusion,
    Resolution,
    conclude_debate,
    conclude_decision,
    conclude_side_by_side,
    conclude_without_debate,
)
from registry.answers.conflict_score import ConflictScoring, score_conflict
from registry.answers.context import QuestionContext
from registry.answers.debate import debate_budget, hold_debate
from registry.answers.evidence import Evidence


async def escalate(context: QuestionContext, evidence: Evidence, vote: Conclusion) -> Resolution:
    """Decide by the vote and its ConflictScore what the answer is, and hold a debate if one is due.

    A debate that cannot be held leaves the answer of the vote.
    """
    scored = await score_conflict(context, evidence, vote.answers)
    decision = await _decide(context, evidence, vote, scored)
    if decision.action is Action.DEBATE:
        try:
            debate = await hold_debate(context, evidence)
        except ModelError as error:
            conclusion = conclude_without_debate(evidence, vote, decision, error)
            return Resolution(conclusion, vote, decision, conflict=scored)
        return Resolution(conclude_debate(evidence, vote, debate), vote, decision, debate, earlier_conflict=scored)
    if decision.action is Action.SIDE_BY_SIDE:
        return Resolution(conclude_side_by_side(evidence), vote, decision, earlier_conflict=scored)
    return Resolution(conclude_decision(evidence, vote, decision), vote, decision, conflict=scored)


async def _decide(context: QuestionContext, evidence: Evidence, vote: Conclusion, scored: ConflictScoring) -> Decision:
    parameters = context.parameters
    documents = min(len({passage.document_id for passage in evidence.passages}), parameters.max_documents)
    strategy = parameters.debate_strategy(answered=bool(evidence.ballots))
    return decide(
        VoteEvidence(
            evidence.vote,
            evidence.certificate,
            vote.confidence if vote.answers else None,
            scored.score.cs_r if scored.score else None,
        ),
        DebateResources(
            context.runtime.chat is not None,
            await _affordable(context),
            strategy.definition.min_calls(documents, parameters.parameters_of(strategy)),
            documents > 0,
        ),
        parameters.auto_parameters(),
    )


async def _affordable(context: QuestionContext) -> Budget:
    """The budget of a debate, and never more than the API key has left."""
    budget = debate_budget(context)
    quota = await context.account.left() if context.account is not None else Budget()
    return Budget(_smaller(budget.calls, quota.calls), _smaller(budget.tokens, quota.tokens), budget.seconds)


def _smaller(first: int | None, second: int | None) -> int | None:
    return min((limit for limit in (first, second) if limit is not None), default=None)
