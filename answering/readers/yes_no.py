"""Questions for yes or no, answered by judging their statement. English."""

import re
from collections.abc import Sequence

from answering.enums import AbstentionReason
from answering.judges import Judge, Label, Pair
from answering.models import Usage
from answering.questions.answer_type import AnswerType, direct_question, expected_answer_type
from answering.questions.names import written_names
from answering.readers.reader import Location, Reading

# The probability below which a passage counts as saying neither. Above it three of four statements made from FEVER's
# claims are judged right.
LEAST_PROBABILITY = 0.5
# However many passages and sources agree: on some subjects the judge tells yes from no no better than chance, whatever
# its probability (benchmarks/notes/subjects.md).
MOST_CONFIDENT = 0.5
_MODAL = re.compile(r"^(?:can|could|will|would|should|must|shall)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_ANSWERS = {Label.SUPPORTS: "Yes", Label.CONTRADICTS: "No"}


def statement_of(question: str) -> str:
    """The question without its first word: a statement but for the place of the verb, which the judge does not need.

    >>> statement_of("Is the mill older than the church?")
    'the mill older than the church.'
    """
    return question.strip().partition(" ")[2].rstrip(" ?!.") + "."


def can_be_judged(question: str) -> bool:
    """Whether it asks if something is so of a name or a number, and not what can or should be.

    On all other questions the judge is at chance: of 405 verdicts on unnamed subjects of PubMedQA 0.58 are right (0.61
    if all were alike), of 424 on what can or should be, on web pages about treatments, 0.54 (0.51). Names do not help
    there (0.60 of 144, 0.60): they are judged for facts as FEVER has them, 0.76 of which are judged right.

    >>> [can_be_judged(question) for question in ("Was the Mill built?", "Was it built in 1874?", "Can the Mill turn?")]
    [True, True, False]
    """
    if _MODAL.match(question):
        return False
    return _DIGIT.search(question) is not None or bool(written_names(question))


def asks_yes_or_no(question: str) -> bool:
    """Whether it has two possible answers, yes and no.

    >>> asks_yes_or_no("Is the mill red?"), asks_yes_or_no("Is it red or blue?")
    (True, False)
    """
    return expected_answer_type(direct_question(question)) is AnswerType.YES_NO


def is_judged(question: str, reader: str) -> bool:
    """Whether the reader of this name has the compact judge decide between yes and no.

    >>> is_judged("Is the mill red?", "compact:6c0c3730:16"), is_judged("Who built the mill?", "compact:6c0c3730:16")
    (True, False)
    """
    return reader.startswith("compact:") and asks_yes_or_no(question)


async def read_yes_no(
    judge: Judge, question: str, passages: Sequence[str], may_support: Sequence[bool] | None = None
) -> Reading:
    """Yes where the passages support the statement of the question, No where they contradict it, else an abstention.

    Of a support and a contradiction the more probable one counts; its sentence is the location of the reading.
    `may_support` tells of each passage whether it can say yes, as all can by default: that Vienna is the capital of
    Austria supports for the judge that it is that of Hungary.
    """
    may_support = may_support or [True] * len(passages)
    statement = statement_of(question)
    judgements = await judge.judge_all([Pair(statement, passage) for passage in passages])
    usage = sum((judgement.usage for judgement in judgements), Usage())
    probability, index, judgement = max(
        (
            (judgement.supports if judgement.label is Label.SUPPORTS else judgement.contradicts, -index, judgement)
            for index, judgement in enumerate(judgements)
            if judgement.label is Label.CONTRADICTS or (judgement.label is Label.SUPPORTS and may_support[index])
        ),
        key=lambda ranked: ranked[:2],
        default=(0.0, 0, None),
    )
    if judgement is None or probability < LEAST_PROBABILITY:
        return Reading.abstention(usage, probability, AbstentionReason.UNDECIDED)
    answer, quote = _ANSWERS[judgement.label], judgement.quote
    location = Location(-index, quote.start, quote.end) if quote else None
    return Reading(answer, answer, probability, usage, location)
