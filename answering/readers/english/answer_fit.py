"""Whether a span can be the kind of answer that a question asks for. English.

The rules reject only what cannot be right, since a question may be answered in many forms: a count without a number, a
name without a capital letter, words that the question itself holds.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from answering.equivalence.values.number_words import ORDINAL_WORDS
from answering.judges.quotes import sentence_at
from answering.questions.answer_type import AnswerType, content_words
from answering.questions.asking_sentences import asks
from answering.questions.names import written_names
from answering.questions.word_forms import folded_word
from answering.readers.english.abbreviations import begin_of_expansion, is_code_of_the_subject
from answering.readers.english.amounts import Span, is_count, is_quantity
from answering.readers.english.answer_form import has_form
from answering.readers.english.asked_event import tells_another_event
from answering.readers.english.definitions import is_no_definition
from answering.readers.english.demonyms import asks_for_demonym, is_demonym
from answering.readers.english.office_holders import is_no_holder
from answering.readers.english.places import is_other_place
from answering.text import without_accents, word_set
from answering.text.normalisation import MONTHS, WEEKDAYS

_TIMES = (
    MONTHS
    | WEEKDAYS
    | word_set(
        """spring summer autumn fall winter today tomorrow yesterday tonight now currently annually yearly monthly
        weekly daily morning noon afternoon evening night midnight dawn dusk century centuries decade decades year
        years month months week weeks day days hour hours minute minutes era age period reign war dynasty season
        weekend christmas easter before after during until since while when once upon following ago early late mid
        bc ad bce ce later recently never always every eve jan feb mar apr jun jul aug sep sept oct nov dec
        antiquity medieval renaissance prehistory birth death time times end beginning start"""
    )
)
_BEFORE_A_TIME = re.compile(
    r"\b(in|on|at|after|before|during|since|by|until|till|from|when|while|once|upon|following|over|if|under)"
    r"( the| a| an)?\s*$",
    re.IGNORECASE,
)
_BEFORE_OWNER = re.compile(r"\bcapital(?: city)? of (?:the )?$", re.IGNORECASE)
_TOWN = re.compile(r"\b(?:capital|city|town|seat)\b", re.IGNORECASE)
# Never put butter on a burn.
_AFTER_NEVER = re.compile(
    r"\b(?:never|do not|don['\u2019]t|avoid|should not|shouldn['\u2019]t)\b[^.!?:;\n]*$", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|never|avoid)\b|n['\u2019]t\b", re.IGNORECASE)
# The capital before Brin.
_OTHER_THAN = re.compile(r"\b(?:before|after|besides|other than|apart from|instead of|except)\b.*", re.IGNORECASE)
# Who is Kenya? Where is Oslo? Not: the capital city is Oslo.
_WHO_OR_WHERE = re.compile(r"^(?i:who|where) (?:is|was) [A-Z][\w.'\u2019-]*(?: [A-Z][\w.'\u2019-]*){0,4}\?*$")
_AS_LABEL = re.compile(r"(?: \d+)?: ")
_IS = re.compile(r"\s+(?:is|are|was|were)\b")
# Words of a page's menu that run into each other: flu shotPandemic. Of 88,584 right answers of the training sets 8 do.
_GLUED = re.compile(r"\b[a-z]{3,}[A-Z][a-z]")
# This conversion: of what stands before. Of 52,239 right answers only those of QAMR, on single sentences, do that.
_POINTING = re.compile(
    r"(?:this|these|such) (?!(?:morning|year|week|month|season|time)\b)[a-z-]+(?: [a-z-]+)?", re.IGNORECASE
)
# Who replaced McCarthy? Not Kevin McCarthy. Of 9,601 right answers to such questions (training sets, SQuADShifts) six
# are hidden.
_FULL_NAME = re.compile(r"(?:[A-Z][\w.-]* ){1,4}(?P<surname>[A-Z]\w*[a-z][\w'\u2019-]*)")
_WHO_DID = re.compile(r"^(?:who|by whom)\b(?!['\u2019]s\b| (?:is|was) [A-Z]\S*\W*$)", re.IGNORECASE)
_REST_OF_NAME = re.compile(r"(?: [A-Z][\w.'\u2019-]*){0,3}")
_OF_RELATIVES = re.compile(
    r"['\u2019]s?\b|\b(?:wife|husband|sons?|daughters?|brothers?|sisters?|siblings?|mother|father|parents?|child"
    r"|children|family|relatives?|namesake|cousin|uncle|aunt|nephew|niece|grand\w+|marr\w+|spouse|widow|names?|named"
    r"|born)\b",
    re.IGNORECASE,
)
# Which is older, Lyng or Brin?
_CHOICE = re.compile(
    r"\b[a-z][\w'-]*[,:] (?P<first>[^,?:a-z][^,?:]{0,60}?),? or (?P<second>[^,?:a-z][^,?:]{0,60})\?*\s*$"
)


def fits(expected: AnswerType, question: str, passage: str, start: int, end: int) -> bool:
    """Whether characters [start, end) of the passage may answer a question of this type."""
    answer = passage[start:end]
    if _GLUED.search(answer) or _POINTING.fullmatch(answer) or not _is_offered(question, answer):
        return False
    if _says_no_more(question, passage, start, end):
        return False
    if begin_of_expansion(question, passage, start, end) is None or _names_the_subject(question, passage, start, end):
        return False
    if is_no_holder(question, passage, start, end) or is_other_place(question, passage, start, end):
        return False
    sentence = sentence_at(passage, start, end).text
    # Of 65,425 right answers 54 stand in a sentence that asks, nearly all of them in headings.
    if not has_form(question, passage, start, end) or asks(sentence) or tells_another_event(question, sentence):
        return False
    words = [word.lower() for word in re.findall(r"\w+", answer)]
    rule = _RULES.get(expected)
    return rule is None or rule(Span(question, answer, words, passage[:start], passage))


def _is_year(span: Span) -> bool:
    return span.has_digit or not _TIMES.isdisjoint(span.words) or not ORDINAL_WORDS.isdisjoint(span.words)


def _is_date(span: Span) -> bool:
    return span.has_digit or not _TIMES.isdisjoint(span.words) or _BEFORE_A_TIME.search(span.before) is not None


def _is_name(span: Span) -> bool:
    """Whether it has letters, and where the question asks who or where somebody is, is no word for what its clause goes
    on to name, and no label of somebody: the Yearbook 2012: Ada Dahl.
    """
    if not _WHO_OR_WHERE.match(span.question):
        return any(map(str.isalpha, span.answer))
    end = len(span.before) + len(span.answer)
    defined = span.answer.islower() and _IS.match(span.passage, end)
    return any(map(str.isalpha, span.answer)) and not defined and not _AS_LABEL.match(span.passage, end)


def _is_proper_name(span: Span) -> bool:
    """Whether it has a capital letter, or the passage has none."""
    return any(map(str.isupper, span.answer)) or not any(map(str.isupper, span.passage))


def _is_advised(span: Span) -> bool:
    """Whether no words of its sentence up to its own end say what one must not do, unless that is what is asked."""
    said = span.before + span.answer
    return _AFTER_NEVER.search(said) is None or _NOT.search(span.question) is not None


def _is_said_to_be(span: Span) -> bool:
    """Whether it is said of a term, where the question asks what that is."""
    return not is_no_definition(span.question, span.passage, *span.place)


_RULES: dict[AnswerType, Callable[[Span], bool]] = {
    AnswerType.COUNT: is_count,
    AnswerType.QUANTITY: is_quantity,
    AnswerType.YEAR: _is_year,
    AnswerType.DATE: _is_date,
    AnswerType.NAME: _is_name,
    AnswerType.PROPER_NAME: _is_proper_name,
    AnswerType.MANNER: _is_advised,
    AnswerType.THING: _is_said_to_be,
}


def _is_offered(question: str, answer: str) -> bool:
    """Whether the answer is one of the two names among which the question chooses, if it does. Of 39 such questions of
    the same sets it hides no right answer.
    """
    choice = _CHOICE.search(question)
    if choice is None:
        return True
    return not content_words(answer).isdisjoint(content_words(f"{choice['first']} {choice['second']}"))


def _is_namesake(question: str, passage: str, start: int, end: int) -> bool:
    """Whether a capital or city that is asked for may have the name in the question: the passage names both, and this
    one not as what it is the capital of.
    """
    answer = passage[start:end]
    other_than = _OTHER_THAN.search(without_accents(question))
    if _BEFORE_OWNER.search(passage[:start]) or (other_than and without_accents(answer) in other_than[0]):
        return False
    before_and_after = f"{passage[:start]} {passage[end:]}"
    return bool(_TOWN.search(question)) and answer[:1].isupper() and answer in before_and_after


def _says_no_more(question: str, passage: str, start: int, end: int) -> bool:
    """Whether it says no more than the question, or where that asks what people are called, not that."""
    answer = passage[start:end]
    if asks_for_demonym(question):
        return not is_demonym(answer, sentence_at(passage, start, end).text)
    return _restates(question, answer) and not _is_namesake(question, passage, start, end)


def _restates(question: str, answer: str) -> bool:
    """Whether the answer says no more than the question, which offers no choice; a name with a title before it, as Dame
    Ada Dahl, says no more than the name.
    """
    if re.search(r"\bor\b", question, re.IGNORECASE):
        return False
    said = tuple(map(folded_word, answer.split()))
    named = any(len(words) > 1 and said[-len(words) :] == words for words in _names(question))
    return named or content_words(without_accents(answer)) <= content_words(without_accents(question))


def _names_the_subject(question: str, passage: str, start: int, end: int) -> bool:
    """Whether it is only another name of what the question names."""
    return is_code_of_the_subject(question, passage, start, end) or _is_first_or_full_name(
        question, passage, start, end
    )


def _is_first_or_full_name(question: str, passage: str, start: int, end: int) -> bool:
    """Whether it is a name, or the first of it, with the surname that a question for somebody else names on its own."""
    if not _WHO_DID.match(question) or _OF_RELATIVES.search(question):
        return False
    rest = _REST_OF_NAME.match(passage, end)
    full = _FULL_NAME.match(passage[start : rest.end() if rest else end])
    return full is not None and (folded_word(full["surname"]),) in _names(question)


@lru_cache(maxsize=64)
def _names(question: str) -> tuple[tuple[str, ...], ...]:
    """The words of each of its names."""
    return tuple(name.words for name in written_names(question))
