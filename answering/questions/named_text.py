"""Texts with the names that stand in them. English."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

import regex

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.word_forms import folded_word, same_word
from answering.text import word_set

# Small words between those of a name: University of Oslo.
JOINERS = word_set("the de la le del da di du des von van der den el al y e bin ibn")


# Small words that have no letter in initials: Office for National Statistics.
_BETWEEN_INITIALS = word_set("for on and in")
# Words that begin a question or an order, and are written large only for that.
ASKING = FUNCTION_WORDS | word_set(
    """tell name list give show say explain describe find know please whats whos hi hello hey according is there
    mr mrs ms dr sir i im ive id ill oh might shall let
    isnt arent wasnt werent doesnt dont didnt hasnt havent hadnt cant couldnt wont wouldnt shouldnt"""
)
# With the word behind them they name another place than it does: South Korea, New Mexico, Equatorial Guinea.
DISTINGUISHING = word_set(
    """north south east west northern southern eastern western northeast northwest southeast southwest new central
    equatorial upper lower old greater inner outer"""
)
# The Republic of Peru is Peru.
FORMS_OF_STATE = word_set("republic kingdom state commonwealth federation principality sultanate emirate")
# News-Democrat is two words, as News Democrat is; COVID-19 is one.
_LETTERS = r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*+"
_WORD = regex.compile(rf"{_LETTERS}(?:[.&'\u2019]{_LETTERS}|[\u2010-](?=\p{{L}}*\p{{N}}){_LETTERS})*+")
_HYPHEN = regex.compile("[\u2010-]")
# In "Dr. Dahl" no sentence ends.
_ABBREVIATED = r"(?<!\b(?:Dr|Mr|Mrs|Ms|Prof|Gen|Sen|Rep|Gov|Lt|Col|Capt))"
_SENTENCE_START = regex.compile(rf"(?:^|{_ABBREVIATED}\.|[!?:;\n|•¿¡]|\s[\u2013\u2014-])[\s#*>_\"“„«'(]*$")
# Between two words of one name.
_GAP = regex.compile(r"[ \t\u00a0]+|\n(?!\n)|[\u2010-]")
INITIALS = regex.compile(r"(?:\p{Lu}[.&]?){2,5}")


# The words before a name among which its owner is looked for: chief of the.
_BEFORE_NAME = 3
# By so many words at most a name is longer than one that it contains.
_LONGER_BY = 2


class Mention(IntEnum):
    """The mention of a name in a text."""

    NONE = 0
    LONGER = 1
    """A part of a longer name alone: Guinea in Equatorial Guinea."""
    PART = 2
    """The last word of the name, Marchetti for Hélène Marchetti, with what a hyphen joins to it, or the two that
    distinguish it, New York for New York City."""
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
        return self.capitalised and self.folded not in ASKING


@dataclass(frozen=True, slots=True)
class Name:
    """A name: its words folded, without the small ones between them, and characters [start, end) of its text."""

    words: tuple[str, ...]
    text: str
    start: int
    end: int
    qualifies: bool = False
    """Whether it only qualifies another noun, as in `which Italian town`, so that a text may say it in other words."""
    beside: frozenset[str] = frozenset()
    """Words around it that texts may write as a part of it: the Wall Street crash, southern California."""

    @property
    def distinguished(self) -> tuple[str, ...]:
        """Its two words that name another place than the second one alone, none where it has no such words."""
        pairs = pairwise(self.words)
        return next((pair for pair in pairs if pair[0] in DISTINGUISHING), ())

    @property
    def known_by(self) -> tuple[str, ...]:
        """The words that stand for all of it once a text has named it: Picard, but not Bissau for Guinea-Bissau."""
        last = _HYPHEN.split(self.text.rpartition(" ")[2])
        return self.distinguished or self.words[-sum(folded_word(part) not in JOINERS for part in last) :]


class NamedText:
    def __init__(self, text: str) -> None:
        self.text = text
        self.words = tuple(_words(text))

    @cached_property
    def small(self) -> frozenset[str]:
        return frozenset(word.folded for word in self.words if not word.capitalised)

    @cached_property
    def large(self) -> frozenset[str]:
        """The words that it writes with a capital letter within a sentence."""
        return frozenset(word.folded for word in self.words if word.capitalised and not word.first)

    @cached_property
    def folded(self) -> frozenset[str]:
        return frozenset(word.folded for word in self.words)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Its names; a single word that begins a sentence is none, unless it stands elsewhere as a name."""
        return tuple(
            name_of(self.text, run)
            for run in runs(self.text, self.words)
            if len(run) > 1 or not run[0].first or run[0].folded in self.large
        )

    def mention(self, name: Name) -> Mention:
        kept = [word for word in self.words if word.folded not in JOINERS]
        found = _places(name.words, kept)
        if any(not self._is_part(run, name) for run in found) or _by_initials(name, kept):
            return Mention.WHOLE
        if any(not self._is_part(run, name) for run in _places(name.known_by, kept)):
            return Mention.PART
        return Mention.LONGER if found else Mention.NONE

    def shares_word(self, name: Name) -> bool:
        """Whether it holds a word of a name, or its initials; of South Korea both words, as one is of others too."""
        kept = [word for word in self.words if word.folded not in JOINERS]
        if name.distinguished:
            shares = bool(_places(name.distinguished, kept))
        else:
            shares = any(same_word(own, word) for own in name.words for word in self.folded)
        return shares or _by_initials(name, kept)

    def writes(self, name: Name) -> bool:
        """Whether it holds a word of a name, of a longer one with a capital letter: a union is no European Union."""
        if len(name.words) == 1 or self.mention(name) is Mention.WHOLE:
            return self.shares_word(name)
        large = (word.folded for word in self.words if word.capitalised)
        return any(same_word(own, word) for word in large for own in name.words)

    def _is_part(self, run: Sequence[Word], name: Name) -> bool:
        """Whether the words stand in a longer name: Sudan in South Sudan, Spain in Port of Spain. In a headline all
        words are large, which says nothing, nor does what stands before a name of several words: Senator Bob Menendez.
        """
        if self._is_behind_of(run[0], name):
            return True
        at, to = self.words.index(run[0]), self.words.index(run[-1])
        several = 1 < len(run) == len(name.words) and not name.distinguished
        while at > 0 and self.words[at - 1].in_a_name and adjacent(self.text, self.words[at - 1], self.words[at]):
            if several and self.words[at - 1].folded not in DISTINGUISHING:
                break
            at -= 1
        while to + 1 < len(self.words) and self.words[to + 1].in_a_name:
            if not adjacent(self.text, self.words[to], self.words[to + 1]):
                break
            to += 1
        around = {word.folded for word in self.words[at : to + 1]} - JOINERS
        others = (word for word in around if not any(same_word(own, word) for own in (*name.words, *name.beside)))
        return any(others) and to + 1 - at <= len(name.words) + _LONGER_BY

    def _is_behind_of(self, word: Word, name: Name) -> bool:
        """Whether it stands behind another name and `of`, which is no form of state and not in the question."""
        owner = owner_of(self.words[: self.words.index(word)])
        if owner is None or owner.folded in FORMS_OF_STATE or owner.folded in name.beside:
            return False
        joined = _HYPHEN.match(self.text, owner.end) or self.text[: owner.start].rstrip().endswith(":")
        return owner.capitalised and bool(joined or not owner.first or owner.folded in self.large)


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        first = _SENTENCE_START.search(text, max(match.start() - 12, 0), match.start()) is not None
        yield Word(match[0], folded_word(match[0]), match.start(), match.end(), first)


def runs(text: str, words: Sequence[Word]) -> Iterator[list[Word]]:
    """Capitalised words in a row, with numbers and small words between them; none that only begin a sentence."""
    run: list[Word] = []
    for word in words:
        joined = bool(run) and adjacent(text, run[-1], word)
        if word.capitalised and not (word.folded in ASKING and (word.first or not joined)):
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


def owner_of(before: Sequence[Word]) -> Word | None:
    """The word before `of`, if these words end with that and with small words of a name: `the chief of the`."""
    kept = [word for word in before[-_BEFORE_NAME:] if word.folded not in JOINERS]
    return kept[-2] if len(kept) > 1 and kept[-1].folded == "of" else None


def name_of(text: str, run: Sequence[Word]) -> Name:
    words = tuple(word.folded for word in run if word.folded not in JOINERS)
    start, end = (run[0].start, run[-1].end) if run else (0, 0)
    return Name(words, text[start:end], start, end)


def adjacent(text: str, first: Word, second: Word) -> bool:
    """Whether nothing but a blank stands between two words."""
    return _GAP.fullmatch(text, first.end, second.start) is not None


def _places(words: Sequence[str], kept: Sequence[Word]) -> list[Sequence[Word]]:
    """The places at which these words stand one after the other."""
    count = len(words)
    runs = (kept[at : at + count] for at in range(len(kept) - count + 1))
    return [run for run in runs if all(map(same_word, words, (word.folded for word in run)))]


def _by_initials(name: Name, words: Sequence[Word]) -> bool:
    if len(name.words) > 1:
        initials = "".join(word[0] for word in name.words)
        return any(word.folded == initials and INITIALS.fullmatch(word.text) for word in words)
    if INITIALS.fullmatch(name.text) is None:
        return False
    (initials,) = name.words
    told = (word for word in words if word.capitalised or word.folded not in _BETWEEN_INITIALS)
    letters = [word.folded[:1] if word.capitalised else " " for word in told]
    return initials in "".join(letters)
