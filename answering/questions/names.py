"""Names in questions and texts: what a question is about, and how far a text speaks of it.

No list of the world's names is needed: a name is a run of capitalised words, and in a question without capital letters
it is words that the texts write with one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

import regex

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.named_text import (
    ASKING,
    DISTINGUISHING,
    FORMS_OF_STATE,
    JOINERS,
    Name,
    NamedText,
    Word,
    adjacent,
    name_of,
    owner_of,
    runs,
)
from answering.questions.word_forms import POSSESSIVE
from answering.text import word_set
from answering.text.normalisation import MONTHS, WEEKDAYS
from answering.text.ordinary_words import is_ordinary_word

_QUOTED = regex.compile(r"[\"“„«]([^\"“”„«»]{2,100})[\"”“»]")
_CHOOSING = word_set("which what")
# After these stands what a question in small letters is about, after the others only where all of it is small.
_BEFORE_SUBJECT = word_set("of in for about")
_BEFORE_SMALL_SUBJECT = _BEFORE_SUBJECT | word_set("from by to at on near is are was were do does did has have")


def question_names(question: str, texts: Sequence[NamedText] = ()) -> tuple[Name, ...]:
    """The names that a question asks about, and what it quotes.

    `texts` tell names from other words where the question does not: its first word, and one in small letters.
    """
    small = (name for name in _small_names(NamedText(question), texts) if name.words)
    return written_names(question, texts) or tuple(small)


def written_names(question: str, texts: Sequence[NamedText] = ()) -> tuple[Name, ...]:
    """The names that a question writes as such, with capital letters or in quotation marks."""
    asked = NamedText(question)
    quoted = [
        name_of(question, [word for word in asked.words if word.start >= match.start(1) and word.end <= match.end(1)])
        for match in _QUOTED.finditer(question)
    ]
    names = [
        _described(asked, run)
        for run in runs(question, asked.words)
        if (len(run) > 1 or not run[0].first or _is_name(run[0], texts))
        and not (_is_date(run) or _is_form_of_state(asked, run))
    ]
    names = [name for name in names if not any(q.start <= name.start < q.end for q in quoted)]
    return tuple(name for name in (*quoted, *names) if name.words)


def _described(asked: NamedText, run: Sequence[Word]) -> Name:
    """The name of a run, with what the words around it say of it."""
    first, last = asked.words.index(run[0]), asked.words.index(run[-1])
    before, behind = asked.words[:first], (word.folded for word in _noun_phrase(asked, last))
    distinguishing = (word.folded for word in before[-1:] if word.folded in DISTINGUISHING)
    owner = owner_of(before)
    beside = frozenset((*distinguishing, *behind, *([owner.folded] if owner else ())))
    return replace(name_of(asked.text, run), qualifies=_qualifies(asked, run), beside=beside)


def _qualifies(asked: NamedText, run: Sequence[Word]) -> bool:
    """Whether a name of one word before a noun says only of what kind the answer is, as after which or what, or who
    owns another name: Barcelona's unfinished Sagrada Familia.

    Other names before a noun say which one is meant: the Hungarian capital, Warsaw's inhabitants.
    """
    at = asked.words.index(run[-1])
    following = list(_noun_phrase(asked, at))
    if len(run) > 1 or not following or following[0].capitalised:
        return False
    if POSSESSIVE.search(run[-1].text):
        return any(word.capitalised for word in following)
    before = takewhile(lambda word: word.folded not in FUNCTION_WORDS - _CHOOSING, reversed(asked.words[:at]))
    return any(word.folded in _CHOOSING for word in before)


def _noun_phrase(asked: NamedText, at: int) -> Iterator[Word]:
    """The words that follow a word in its noun phrase: up to a mark or a function word."""
    for word, following in pairwise(asked.words[at:]):
        if following.folded in FUNCTION_WORDS or not adjacent(asked.text, word, following):
            return
        yield following


def _is_date(run: Sequence[Word]) -> bool:
    """Whether it is a part of a date: March 11, Friday."""
    return all(word.folded in MONTHS | WEEKDAYS or word.text[0].isdigit() for word in run)


def _is_form_of_state(asked: NamedText, run: Sequence[Word]) -> bool:
    """Whether it says only what kind of state the name behind it is of: the Republic of Peru."""
    behind = asked.words[asked.words.index(run[-1]) + 1 :]
    of_a_name = len(behind) > 1 and behind[0].folded == "of" and any(word.capitalised for word in behind[1:3])
    return of_a_name and len(run) == 1 and run[0].folded in FORMS_OF_STATE


def _small_names(asked: NamedText, texts: Sequence[NamedText]) -> Iterator[Name]:
    """Words of a question in small letters that the texts write large, and those after `of`, `in` and the like that no
    text has and that are no ordinary ones.
    """
    for run in _small_runs(asked, texts):
        if any(_is_small_name(word, texts) or not is_ordinary_word(word.folded) for word in run):
            yield name_of(asked.text, run)


def _small_runs(asked: NamedText, texts: Sequence[NamedText]) -> Iterator[list[Word]]:
    small = bool(asked.words) and not asked.words[0].capitalised
    before_subject = _BEFORE_SMALL_SUBJECT if small and texts else _BEFORE_SUBJECT
    run: list[Word] = []
    expected = in_clause = False
    for word in asked.words:
        # What is asked about is described: the country whose currency is the zloty.
        in_clause = in_clause or (word.folded == "whose" and not word.first)
        described = in_clause and word.folded not in ASKING and not is_ordinary_word(word.folded)
        if described or _is_small_name(word, texts) or ((expected or run) and _is_unknown(word, texts)):
            run.append(word)
        elif run:
            yield run
            run = []
        # A noun phrase ends with the next function word; without texts, which know most words, after its first word.
        goes_on = word.folded in JOINERS or (bool(texts) and word.folded not in FUNCTION_WORDS)
        expected = word.folded in before_subject or (expected and goes_on)
    if run:
        yield run


def _is_small_name(word: Word, texts: Sequence[NamedText]) -> bool:
    return word.folded not in ASKING and _is_name(word, texts)


def _is_unknown(word: Word, texts: Sequence[NamedText]) -> bool:
    asked = word.folded in ASKING or word.folded[0].isdigit()
    return not asked and not any(word.folded in text.folded for text in texts)


def _is_name(word: Word, texts: Sequence[NamedText]) -> bool:
    """Whether the texts write a word as a name, and never small."""
    return any(word.folded in text.large for text in texts) and not any(word.folded in text.small for text in texts)
