"""Questions for yes or no, answered by judging their statement. English."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from answering.enums import AbstentionReason
from answering.judges import Judge, Judgement, Label, Pair
from answering.models import Usage
from answering.questions.answer_type import AnswerType, content_words, direct_question, expected_answer_type
from answering.questions.names import written_names
from answering.readers.english.described_subject import DescribedSubject
from answering.readers.reader import Location, Reading

# The probability below which a passage counts as saying neither. Above it three of four statements made from FEVER's
# claims are judged right.
LEAST_PROBABILITY = 0.5
# However many passages and sources agree: on some subjects the judge tells yes from no no better than chance, whatever
# its probability (benchmarks/notes/subjects.md).
MOST_CONFIDENT = 0.5
_MODAL = re.compile(r"^(?:can|could|will|would|should|must|shall)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_DENIAL = re.compile(
    r"(?:\b(?:is|was|are|were|has|have|had|does|do|did|can|could) ?(?:not|n['\u2019]t)|\bnever) "
    r"(?:(?:an?|the|in|at|on|of|any|also|been|be) ){0,2}(?P<denied>[\w'-]+)[^,;.:]*",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|no|none|nobody|nothing|without|neither|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
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
    there (0.60 of 144, 0.60): they are judged for facts as FEVER has them, 0.76 of which are judged right. One letter,
    as in vitamin C, is no name.

    >>> [can_be_judged(question) for question in ("Was the Mill built?", "Was it built in 1874?", "Can the Mill turn?")]
    [True, True, False]
    """
    if _MODAL.match(question):
        return False
    return _DIGIT.search(question) is not None or any(len(name.text) > 1 for name in written_names(question))


def denies(sentence: str, statement: str) -> bool:
    """Whether a sentence holds all words of a statement, and one of them, once, behind a negation.

    For the compact judge "Jordan is not landlocked" supports that it is landlocked, as does each of 26 such sentences
    on countries. Of 260 pairs of sentences in sets of entailment that the rule fits (SICK, MNLI, RTE, FEVER) 235 are
    contradictions and 11 entailments.

    >>> denies("The mill is not old.", "the mill old."), denies("The mill is old, and not red.", "the mill old.")
    (True, False)
    """
    words = content_words(statement)
    if _DENIED.search(statement):
        return False
    said = Counter(stem for word in re.findall(r"\w+", sentence) for stem in content_words(word))
    return any(
        denied <= words <= content_words(sentence[: match.end()]) and all(said[stem] == 1 for stem in denied)
        for match in _DENIAL.finditer(sentence)
        if (denied := content_words(match["denied"]))
    )


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


MaySay: TypeAlias = Callable[[int, Judgement], bool]
"""Whether the passage with an index can say what the judgement of it does."""


async def read_yes_no(
    judge: Judge, question: str, passages: Sequence[str], may_say: MaySay = lambda _index, _judgement: True
) -> Reading:
    """Yes where the passages support the statement of the question, No where they contradict it, else an abstention.

    Of a support and a contradiction the more probable one counts; its sentence is the location of the reading. That
    Vienna is the capital of Austria supports for the judge that it is that of Hungary, which `may_say` can rule out.
    """
    statement, described = statement_of(question), DescribedSubject(question)
    judged = await judge.judge_all([Pair(statement, passage) for passage in passages])
    judgements = [_undenied(judgement, statement) for judgement in judged]
    usage = sum((judgement.usage for judgement in judgements), Usage())
    probability, index, judgement = max(
        (
            (judgement.supports if judgement.label is Label.SUPPORTS else judgement.contradicts, -index, judgement)
            for index, judgement in enumerate(judgements)
            if (judgement.label is Label.CONTRADICTS or _describes(judgement, described)) and may_say(index, judgement)
        ),
        key=lambda ranked: ranked[:2],
        default=(0.0, 0, None),
    )
    if judgement is None or probability < LEAST_PROBABILITY:
        return Reading.abstention(usage, probability, AbstentionReason.UNDECIDED)
    answer, quote = _ANSWERS[judgement.label], judgement.quote
    location = Location(-index, quote.start, quote.end) if quote else None
    return Reading(answer, answer, probability, usage, location)


def _undenied(judgement: Judgement, statement: str) -> Judgement:
    """The judgement, a contradiction where the sentence that supports the statement denies it."""
    if judgement.label is not Label.SUPPORTS or judgement.quote is None or not denies(judgement.quote.text, statement):
        return judgement
    return replace(judgement, label=Label.CONTRADICTS, supports=judgement.contradicts, contradicts=judgement.supports)


def _describes(judgement: Judgement, described: DescribedSubject) -> bool:
    """Whether it supports, and the quotation says what the question does of a subject that it only describes."""
    supports = judgement.label is Label.SUPPORTS
    return supports and (judgement.quote is None or described.allows(judgement.quote.text))
