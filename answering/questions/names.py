"""Names in questions and texts: what a question is about, and how far a text speaks of it.

No list of the world's names is needed: a name is a run of capitalised words, and in a question without capital letters
it is words that the texts write with one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

import regex

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.word_forms import POSSESSIVE, folded_word, same_word
from answering.text import word_set
from answering.text.dates import MONTHS, WEEKDAYS
from answering.text.ordinary_words import is_ordinary_word

# Small words between those of a name: University of Oslo.
JOINERS = word_set("the de la le del da di du des von van der den el al y e bin ibn")


# Words that begin a question or an order, and are written large only for that.
_ASKING = FUNCTION_WORDS | word_set(
    """tell name list give show say explain describe find know please whats whos hi hello hey according is there
    mr mrs ms dr sir"""
)
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*+(?:[.&'\u2019\u2010-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*+)*+")
_QUOTED = regex.compile(r"[\"“„«]([^\"“”„«»]{2,100})[\"”“»]")
_SENTENCE_START = regex.compile(r"(?:^|[.!?:;\n|•]|\s[\u2013\u2014-])[\s#*>_\"“'(]*$")
# Between two words of one name.
_GAP = regex.compile(r"[ \t\u00a0]+|\n(?!\n)")
INITIALS = regex.compile(r"(?:\p{Lu}\.?){2,5}")
_AUXILIARIES = word_set("is are was were do does did has have had can could will would should may might must")
# After these stands what a question in small letters is about, after the others only where all of it is small.
_BEFORE_SUBJECT = word_set("of in for about")
_BEFORE_SMALL_SUBJECT = _BEFORE_SUBJECT | word_set("from by to at on near is are was were do does did has have")


# By so many words at most a name is longer than one that it contains.
_LONGER_BY = 2


class Mention(IntEnum):
    """How a text mentions a name."""

    NONE = 0
    LONGER = 1
    """As a part of a longer name alone: Guinea in Equatorial Guinea."""
    PART = 2
    """By its last word: Marchetti for Hélène Marchetti."""
    WHOLE = 3


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: as written, folded without accents and possessive, its characters [start, end), and whether a
    sentence or a line begins with it.
    """

    text: str
    folded: str
    start: int
    end: int
    first: bool

    @property
    def capitalised(self) -> bool:
        return self.text[0].isupper()

    @property
    def in_a_name(self) -> bool:
        return self.capitalised and self.folded not in _ASKING


@dataclass(frozen=True, slots=True)
class Name:
    """A name: its words folded, without the small ones between them, and characters [start, end) of its text."""

    words: tuple[str, ...]
    text: str
    start: int
    end: int
    qualifies: bool = False
    """Whether it only qualifies another noun, as in `which Italian town`, so that a text may say it in other words."""


class NamedText:
    """A text, in which names are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = tuple(_words(text))

    @cached_property
    def small(self) -> frozenset[str]:
        """The words that it writes small."""
        return frozenset(word.folded for word in self.words if not word.capitalised)

    @cached_property
    def large(self) -> frozenset[str]:
        """The words that it writes with a capital letter within a sentence."""
        return frozenset(word.folded for word in self.words if word.capitalised and not word.first)

    @cached_property
    def folded(self) -> frozenset[str]:
        """All its words."""
        return frozenset(word.folded for word in self.words)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Its names; a single word that begins a sentence is none, unless it stands elsewhere as a name."""
        return tuple(
            _name(self.text, run)
            for run in _runs(self.text, self.words)
            if len(run) > 1 or not run[0].first or run[0].folded in self.large
        )

    def mention(self, name: Name) -> Mention:
        """How the text mentions a name."""
        kept = [word for word in self.words if word.folded not in JOINERS]
        found = _places(name.words, kept)
        if any(not self._is_part(run, name) for run in found) or _by_initials(name, kept):
            return Mention.WHOLE
        if any(not self._is_part(run, name) for run in _places(name.words[-1:], kept)):
            return Mention.PART
        return Mention.LONGER if found else Mention.NONE

    def shares_word(self, name: Name) -> bool:
        """Whether it holds a word of a name, or its initials."""
        if any(same_word(own, word) for own in name.words for word in self.folded):
            return True
        return _by_initials(name, [word for word in self.words if word.folded not in JOINERS])

    def _is_part(self, run: Sequence[Word], name: Name) -> bool:
        """Whether the words stand in a longer name. In a headline all words are large, which says nothing."""
        at, to = self.words.index(run[0]), self.words.index(run[-1])
        while at > 0 and self.words[at - 1].in_a_name and _adjacent(self.text, self.words[at - 1], self.words[at]):
            at -= 1
        while to + 1 < len(self.words) and self.words[to + 1].in_a_name:
            if not _adjacent(self.text, self.words[to], self.words[to + 1]):
                break
            to += 1
        around = {word.folded for word in self.words[at : to + 1]} - JOINERS
        others = (word for word in around if not any(same_word(own, word) for own in name.words))
        return any(others) and to + 1 - at <= len(name.words) + _LONGER_BY


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
        _name(question, [word for word in asked.words if word.start >= match.start(1) and word.end <= match.end(1)])
        for match in _QUOTED.finditer(question)
    ]
    names = [
        replace(_name(question, run), qualifies=_qualifies(asked, run))
        for run in _runs(question, asked.words)
        if (len(run) > 1 or not run[0].first or _is_name(run[0], texts)) and not _is_date(run)
    ]
    names = [name for name in names if not any(q.start <= name.start < q.end for q in quoted)]
    return tuple(name for name in (*quoted, *names) if name.words)


def _qualifies(asked: NamedText, run: Sequence[Word]) -> bool:
    """Whether a noun follows, and no auxiliary verb comes before, which would make what follows a verb: did Ada win.

    After `the`, and as a possessive, the name says which one is meant: the Hungarian capital, Hungary's capital. Of a
    name that another one owns, the owner may be missing: Barcelona's unfinished Sagrada Familia.
    """
    at, to = asked.words.index(run[0]), asked.words.index(run[-1])
    if _is_owner(run[-1]):
        return any(word.capitalised for word in _noun_phrase(asked, to))
    owned = any(run[0] in _noun_phrase(asked, i) for i, word in enumerate(asked.words) if _is_owner(word))
    before = asked.words[at - 1].folded if at else ""
    follows = next(_noun_phrase(asked, to), None)
    return follows is not None and not follows.capitalised and not owned and before not in _AUXILIARIES | {"the"}


def _is_owner(word: Word) -> bool:
    return word.capitalised and POSSESSIVE.search(word.text) is not None


def _noun_phrase(asked: NamedText, at: int) -> Iterator[Word]:
    """The words that follow a word in its noun phrase: up to a mark or a function word."""
    for word, following in pairwise(asked.words[at:]):
        if following.folded in FUNCTION_WORDS or not _adjacent(asked.text, word, following):
            return
        yield following


def _is_date(run: Sequence[Word]) -> bool:
    """Whether it is a part of a date: March 11, Friday."""
    return all(word.folded in MONTHS | WEEKDAYS or word.text[0].isdigit() for word in run)


def _small_names(asked: NamedText, texts: Sequence[NamedText]) -> Iterator[Name]:
    """Words of a question in small letters that the texts write large, and those after `of`, `in` and the like that no
    text has and that are no ordinary ones.
    """
    for run in _small_runs(asked, texts):
        if any(_is_small_name(word, texts) or not is_ordinary_word(word.folded) for word in run):
            yield _name(asked.text, run)


def _small_runs(asked: NamedText, texts: Sequence[NamedText]) -> Iterator[list[Word]]:
    small = bool(asked.words) and not asked.words[0].capitalised
    before_subject = _BEFORE_SMALL_SUBJECT if small and texts else _BEFORE_SUBJECT
    run: list[Word] = []
    expected = False
    for word in asked.words:
        if _is_small_name(word, texts) or ((expected or run) and _is_unknown(word, texts)):
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
    return word.folded not in _ASKING and _is_name(word, texts)


def _is_unknown(word: Word, texts: Sequence[NamedText]) -> bool:
    asked = word.folded in _ASKING or word.folded[0].isdigit()
    return not asked and not any(word.folded in text.folded for text in texts)


def _is_name(word: Word, texts: Sequence[NamedText]) -> bool:
    """Whether the texts write a word as a name, and never small."""
    return any(word.folded in text.large for text in texts) and not any(word.folded in text.small for text in texts)


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        first = _SENTENCE_START.search(text, max(match.start() - 12, 0), match.start()) is not None
        yield Word(match[0], folded_word(match[0]), match.start(), match.end(), first)


def _runs(text: str, words: Sequence[Word]) -> Iterator[list[Word]]:
    """Capitalised words in a row, with numbers and small words between them; none that only begin a sentence."""
    run: list[Word] = []
    for word in words:
        joined = bool(run) and _adjacent(text, run[-1], word)
        if word.capitalised and not (word.folded in _ASKING and (word.first or not joined)):
            if not joined:
                yield from _trimmed(run)
                run = []
            run.append(word)
        elif joined and (word.folded in JOINERS or (word.text[0].isdigit() and run[-1].folded not in JOINERS)):
            run.append(word)
        else:
            yield from _trimmed(run)
            run = []
    yield from _trimmed(run)


def _trimmed(run: list[Word]) -> Iterator[list[Word]]:
    """The run without the small words at its end."""
    while run and run[-1].folded in JOINERS and not run[-1].capitalised:
        run = run[:-1]
    if run:
        yield run


def _name(text: str, run: Sequence[Word]) -> Name:
    words = tuple(word.folded for word in run if word.folded not in JOINERS)
    start, end = (run[0].start, run[-1].end) if run else (0, 0)
    return Name(words, text[start:end], start, end)


def _adjacent(text: str, first: Word, second: Word) -> bool:
    return _GAP.fullmatch(text, first.end, second.start) is not None


def _places(words: Sequence[str], kept: Sequence[Word]) -> list[Sequence[Word]]:
    """Where these words stand one after the other."""
    count = len(words)
    runs = (kept[at : at + count] for at in range(len(kept) - count + 1))
    return [run for run in runs if all(map(same_word, words, (word.folded for word in run)))]


def _by_initials(name: Name, words: Sequence[Word]) -> bool:
    """Whether the words hold the initials of the name, or a name with these initials."""
    if len(name.words) > 1:
        initials = "".join(word[0] for word in name.words)
        return any(word.folded == initials and INITIALS.fullmatch(word.text) for word in words)
    if INITIALS.fullmatch(name.text) is None:
        return False
    (initials,) = name.words
    letters = [word.folded[:1] if word.capitalised else " " for word in words]
    return initials in "".join(letters)
