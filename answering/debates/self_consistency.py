"""Self-consistency of the concatenated prompt, for lists of answers.

Answers are counted over the samples (Wang et al. 2022, arXiv:2203.11171), or a model selects the sample that agrees
most with the others (universal self-consistency, Chen et al. 2023, arXiv:2311.17311), as in the paper of Astute RAG.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial

from answering.debates.concatenated import concatenated_request
from answering.debates.parsing.answers import AnswerList
from answering.debates.protocol import (
    NO_DOCUMENTS,
    Ask,
    Conversation,
    Debate,
    DebateResult,
    SourceDocument,
    ask,
    no_answer,
    out_of_budget,
)
from answering.debates.quoting import paragraphs, question_line, tagged
from answering.debates.schema import Chosen, ConsistencyParameters, StopReason
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, check_support, class_keys, first_spellings
from answering.models.chat import SEED, Sampling
from answering.prompts import load_prompt


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
    explanation = f"In at least {parameters.share:.0%} of {len(samples)} samples, or in most of them."
    reason = StopReason.OUT_OF_BUDGET if out_of_budget(replies) else StopReason.ANSWERED
    if parameters.chosen is Chosen.SELECTED and (selected := (yield from _select(question, samples))) is not None:
        answers, explanation = list(selected.answers), selected.explanation
    support = check_support(answers, documents, policy, confidences=confidences)
    return DebateResult(support.answers, explanation, reason, 1, support.unsupported)


def _select(question: str, samples: Sequence[AnswerList]) -> Conversation[AnswerList | None]:
    """The sample that the model selects; None where it names none, so that they are counted."""
    prompt = load_prompt("consistent_sample")
    listed = "\n".join(
        tagged("reply", str(number), f"Answers: {'; '.join(sample.answers) or 'unknown'}. {sample.explanation}".strip())
        for number, sample in enumerate(samples, 1)
    )
    message = paragraphs(listed, question_line(question), prompt.closing)
    parse = partial(_sample_number, count=len(samples))
    (reply,) = yield from ask([Ask("selector", 1, prompt, message, parse)])
    return None if reply.value is None else samples[reply.value - 1]


def _sample_number(reply: str, count: int) -> int | None:
    number = re.search(r"\d{1,3}", reply)
    return int(number[0]) if number and 1 <= int(number[0]) <= count else None


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
    in_paper={"samples": 3, "chosen": Chosen.SELECTED},
)
