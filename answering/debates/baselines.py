"""What debates are compared with: no documents, all documents in one prompt, and the most consistent of samples."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from answering.debates.labels import reliability_labels
from answering.debates.parsing import AnswerList, parse_answers
from answering.debates.protocol import (
    Ask,
    Debate,
    DebateAnswer,
    DebateResult,
    Reply,
    ReplyStatus,
    SourceDocument,
    StopReason,
    ask,
)
from answering.debates.quoting import document_blocks, paragraphs, question_line
from answering.debates.support import check_support, class_keys, first_spellings
from answering.equivalence import ClassPolicy
from answering.errors import BadParameter
from answering.models.chat import GREEDY, SEED, Sampling
from answering.prompts import load_prompt

UNREADABLE = "The model's reply could not be read."


@dataclass(frozen=True, slots=True)
class ConcatenatedSettings:
    """`show_reliability` tells the model how far each document's source was right."""

    show_reliability: bool = False
    policy: ClassPolicy = ClassPolicy.VALUES


@dataclass(frozen=True, slots=True)
class ConsistencySettings:
    """How many samples are drawn, how warm, and the share of them that an answer must be in."""

    samples: int = 5
    temperature: float = 0.7
    share: float = 0.5
    show_reliability: bool = False
    policy: ClassPolicy = ClassPolicy.VALUES

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise BadParameter(f"at least 1 sample is drawn, not {self.samples}")
        if not 0.0 < self.share <= 1.0:
            raise BadParameter(f"an answer must be in a share of the samples above 0 and at most 1, not {self.share}")


def no_rag(question: str, policy: ClassPolicy = ClassPolicy.VALUES) -> Debate:
    """What the model knows by itself; its answers stand in no document."""
    prompt = load_prompt("closed_book")
    (reply,) = yield from ask([Ask("model", 1, prompt, question_line(question), parse_answers)])
    if reply.value is None:
        return _nothing(reply)
    keys = class_keys(reply.value.answers, policy)
    known = tuple(DebateAnswer(answer, key, ()) for key, answer in first_spellings(reply.value.answers, keys).items())
    return DebateResult(known, reply.value.explanation, StopReason.ANSWERED, 1)


def concatenated(
    question: str, documents: Sequence[SourceDocument], settings: ConcatenatedSettings | None = None
) -> Debate:
    """All documents in one prompt."""
    given = settings or ConcatenatedSettings()
    if not documents:
        return _no_documents()
    (reply,) = yield from ask([_ask_all(question, documents, given.show_reliability, GREEDY, 1)])
    if reply.value is None:
        return _nothing(reply)
    found = check_support(reply.value.answers, documents, given.policy)
    return DebateResult(found.answers, reply.value.explanation, StopReason.ANSWERED, 1, found.unsupported)


def self_consistency(
    question: str, documents: Sequence[SourceDocument], settings: ConsistencySettings | None = None
) -> Debate:
    """The answers that enough samples of the concatenated prompt agree on (Wang et al. 2023), for lists of answers.

    An answer counts if its class is in at least `share` of the samples that could be read; if none is, those in most.
    """
    given = settings or ConsistencySettings()
    if not documents:
        return _no_documents()
    samplings = [Sampling(given.temperature, SEED + draw) for draw in range(given.samples)]
    replies = yield from ask(
        [
            _ask_all(question, documents, given.show_reliability, sampling, number)
            for number, sampling in enumerate(samplings, 1)
        ]
    )
    samples = [reply.value for reply in replies if reply.value is not None]
    if not samples:
        return _nothing(replies[0])
    chosen, confidences = _consistent(samples, given)
    found = check_support(chosen, documents, given.policy, confidences=confidences)
    explanation = f"In at least {given.share:.0%} of {len(samples)} samples, or in most of them."
    spent = any(reply.status is ReplyStatus.OUT_OF_BUDGET for reply in replies)
    reason = StopReason.OUT_OF_BUDGET if spent else StopReason.ANSWERED
    return DebateResult(found.answers, explanation, reason, 1, found.unsupported)


def _consistent(samples: Sequence[AnswerList], given: ConsistencySettings) -> tuple[list[str], dict[str, float]]:
    keys = class_keys([answer for sample in samples for answer in sample.answers], given.policy)
    counted = Counter(key for sample in samples for key in {keys[answer] for answer in sample.answers})
    abstained = sum(not sample.answers for sample in samples)
    most = max(counted.values(), default=0)
    if abstained > most:
        return [], {}
    least = min(most, given.share * len(samples))
    spelled = first_spellings((answer for sample in samples for answer in sample.answers), keys)
    kept = sorted((key for key, count in counted.items() if count >= least), key=lambda key: (-counted[key], key))
    return [spelled[key] for key in kept], {key: counted[key] / len(samples) for key in kept}


def _ask_all(
    question: str, documents: Sequence[SourceDocument], show_reliability: bool, sampling: Sampling, number: int
) -> Ask[AnswerList]:
    blocks = document_blocks(documents, reliability_labels(documents) if show_reliability else None)
    text = paragraphs(blocks, question_line(question))
    return Ask(f"sample {number}", 1, load_prompt("concatenated"), text, parse_answers, sampling)


def _nothing(reply: Reply[AnswerList]) -> DebateResult:
    spent = reply.status is ReplyStatus.OUT_OF_BUDGET
    return DebateResult((), "" if spent else UNREADABLE, StopReason.OUT_OF_BUDGET if spent else StopReason.ANSWERED, 0)


def _no_documents() -> DebateResult:
    return DebateResult((), "There is no document to answer from.", StopReason.NO_DOCUMENTS, 0)
