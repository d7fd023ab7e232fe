"""Self-consistency (Wang et al. 2022, arXiv:2203.11171) of the concatenated prompt, for lists of answers."""

from collections import Counter
from collections.abc import Sequence

from answering.debates.concatenated import concatenated_request
from answering.debates.parsing.answers import AnswerList
from answering.debates.protocol import NO_DOCUMENTS, Debate, DebateResult, SourceDocument, ask, no_answer, out_of_budget
from answering.debates.schema import ConsistencyParameters, StopReason
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, check_support, class_keys, first_spellings
from answering.models.chat import SEED, Sampling


def self_consistency(
    question: str,
    documents: Sequence[SourceDocument],
    parameters: ConsistencyParameters | None = None,
    policy: AnswerPolicy | None = None,
) -> Debate:
    """The answers whose class is in at least `share` of the samples that could be read; if none is, those in most.

    >>> documents = [SourceDocument("d1", "Lena Dahl leads the choir.")]
    >>> requests = next(self_consistency("Who leads the choir?", documents, ConsistencyParameters(samples=3)))
    >>> [request.agent for request in requests]
    ['sample 1', 'sample 2', 'sample 3']
    """
    parameters, policy = parameters or ConsistencyParameters(), policy or AnswerPolicy()
    if not documents:
        return NO_DOCUMENTS
    replies = yield from ask(
        [
            concatenated_request(
                question,
                documents,
                show_reliability=parameters.show_reliability,
                sampling=Sampling(parameters.temperature, SEED + draw),
                number=draw + 1,
            )
            for draw in range(parameters.samples)
        ]
    )
    samples = [reply.value for reply in replies if reply.value is not None]
    if not samples:
        return no_answer(replies[0])
    answers, confidences = _consistent(samples, parameters.share, policy)
    support = check_support(answers, documents, policy, confidences=confidences)
    explanation = f"In at least {parameters.share:.0%} of {len(samples)} samples, or in most of them."
    reason = StopReason.OUT_OF_BUDGET if out_of_budget(replies) else StopReason.ANSWERED
    return DebateResult(support.answers, explanation, reason, 1, support.unsupported)


def _consistent(
    samples: Sequence[AnswerList], share: float, policy: AnswerPolicy
) -> tuple[list[str], dict[str, float]]:
    """The chosen answers, the most frequent first, and the share of the samples with each class."""
    answers = [answer for sample in samples for answer in sample.answers]
    keys = class_keys(answers, policy)
    counts = Counter(key for sample in samples for key in {keys[answer] for answer in sample.answers})
    highest = max(counts.values(), default=0)
    if sum(not sample.answers for sample in samples) > highest:
        return [], {}
    required = min(highest, share * len(samples))
    chosen = sorted((key for key, count in counts.items() if count >= required), key=lambda key: (-counts[key], key))
    spellings = first_spellings(answers, keys)
    return [spellings[key] for key in chosen], {key: counts[key] / len(samples) for key in chosen}


SELF_CONSISTENCY = StrategyDefinition(
    "self_consistency",
    ConsistencyParameters,
    self_consistency,
    lambda _documents, _parameters: 1,
)
