"""Whether passages speak of the subject of a question, of its year, and of what it asks for. English.

A reader looks for the relation: in a text on Belgium it finds a capital, whatever country was asked for. Training with
exchanged subjects teaches it better (`benchmarks/training/reader/exchanged.py`). What it still confuses are mostly
passages that do not so much as mention what is asked about, which need not be read, and pages about something else that
mention it in passing.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property

from answering.equivalence import find_unit
from answering.judges.quotes import sentence_at
from answering.questions.answer_type import FUNCTION_WORDS, AnswerType, content_words, expected_answer_type
from answering.questions.kind import has_question_form
from answering.questions.named_text import DISTINGUISHING, JOINERS, Mention, Name, NamedText
from answering.questions.names import question_names
from answering.questions.word_forms import is_adjective
from answering.readers.english.described_subject import DescribedSubject
from answering.readers.english.labels import is_of_another_field, is_of_another_label
from answering.text import without_accents, word_set

# A title of so few words, all of them large, is the name of what its page is about.
MOST_WORDS_OF_A_NAME = 4
FEWEST_WORDS = 2
_BETWEEN_NAMES = word_set("and")
# What is asked for with them is told in other words: 212 metres.
_MEASURES = content_words("many much more long longer large larger big old older far tall high heavy deep often")
# Their answer is another year than one that they name.
_DATES = frozenset({AnswerType.YEAR, AnswerType.DATE})
# Capital of North Korea: not that of South Korea, though the line may go on to mention it.
_LABEL_OF = re.compile(r"(?P<said>[A-Z][^:.;\n]{0,40}) of (?:the )?(?P<name>[A-Z][^:.;\n]{1,60}): ")
# The national dish of Estonia is, where the anthem is asked for.
_STATED = re.compile(
    r"\b[Tt]he (?P<said>(?:[a-z][\w-]* ){1,3})of (?:the )?(?P<name>[A-Z][^.;\n]{0,60}?) (?:is|was|are|were) "
)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_OF_A_PERSON = word_set("he him his she her hers")
_OF_SOMEBODY = _OF_A_PERSON | word_set("it its itself they their them who whose")
# A name that begins a sentence, with an article or a mark before it. Half hides 7 right answers where this hides 19,
# and 49 on something else instead of 100; double 24 and 129.
_FIRST_CHARACTERS = 4
# How long does chickenpox last? A short question without a name is about its rare word. Of 271 such questions of the
# training sets 8 lose their passage, six of which are misspelt; of 32 passages on something else 21 are not read.
MOST_WORDS_ASKED = 3
_RARE = re.compile(r"(?<![\w'\u2019-])[a-z]{5,}(?![\w'\u2019-])")
_RARE_ENDING = 2
# Chicken pox, pre-existing.
_BETWEEN_PARTS = re.compile(r"[\s-]+")
# How many teeth does an adult have? Of 163 such questions without a name (SQuAD, NQ) 10 lose their passage, of 72,205
# passages on something else that have words of one 67,268 are not read.
_COUNTED = re.compile(
    r"\bhow many (?P<counted>(?:[\w'-]+ ){0,3}?(?P<noun>[\w'-]+)) (?:do|does|did|is|are|was|were|can|could|should|would"
    r"|will|may|might|must|have|has|had)\b",
    re.IGNORECASE,
)


class SubjectCheck:
    """The names of a question, looked for in passages and in what each stands below, its title for example.

    One word of a name is enough for a passage, the last one for a sentence. A name that only qualifies a noun may be
    missing, and of several among which the question chooses one is enough. Without names those passages speak of the
    subject that have words of the question (`_needed_words`), of a short one a rare word, and what it counts.

    >>> passages, titles = ["Its capital is Bangui.", "Chad's is N'Djamena."], ["Central African Republic", "Africa"]
    >>> subject = SubjectCheck("What is the capital of Chad?", passages, titles)
    >>> subject.speaking, subject.allows(1, 10, 19)
    ([1], True)
    """

    def __init__(
        self,
        question: str,
        passages: Sequence[str],
        contexts: Sequence[str],
        is_frequent: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._question = question
        self._passages = [NamedText(passage) for passage in passages]
        self._contexts = [NamedText(context) for context in contexts]
        expected = expected_answer_type(question)
        self._years = frozenset() if expected in _DATES else _years(question)
        self._years_to_come = frozenset(year for year in self._years if year > datetime.now(UTC).year)
        self._described = DescribedSubject(question)
        names = question_names(question, [*self._passages, *self._contexts])
        self._names = [name for name in names if not name.qualifies]
        self._asked = content_words(question) - _MEASURES
        self._subject = content_words(" ".join(word for name in names for word in name.words))
        is_short = not names and len(self._asked) <= MOST_WORDS_ASKED and has_question_form(question)
        self._rare = [word for word in _RARE.findall(question) if not is_frequent(word)] if is_short else []
        self._counted = frozenset() if names else _counted(question)
        self._needed = _needed_words(question, len(self._asked), expected, has_names=bool(names))
        self._offers_choice = expected is AnswerType.YES_NO or "or" in NamedText(question).folded

    @cached_property
    def speaking(self) -> list[int]:
        """The indexes of the passages that speak of the subject."""
        return [
            index
            for index, (passage, context) in enumerate(zip(self._passages, self._contexts, strict=True))
            if self._enough(passage.shares_word(name) or _titles(context, passage, name) for name in self._names)
            and self._shares_words(f"{context.text} {passage.text}")
            and self._foretells(f"{context.text} {passage.text}")
        ]

    def mentions_all(self, index: int) -> bool:
        """Whether one line of a passage, with what the passage stands below, writes each name."""
        context = self._contexts[index]
        missing = [name for name in self._names if not context.writes(name)]
        lines = map(NamedText, self._passages[index].text.split("\n"))
        return any(all(line.writes(name) for name in missing) for line in lines)

    def may_affirm(self, index: int, quote: str) -> bool:
        """Whether a passage can say yes in these words: a line of it mentions all names, and so do the words, but for
        those of the title, or one that a pronoun may stand for. On a page that is named after something else they have
        all names, a word of what is asked, and are no line of a fact sheet on that.
        """
        if not self.mentions_all(index) or not quote:
            return self.mentions_all(index)
        context, said = self._contexts[index], NamedText(quote)
        titled = [
            name for name in self._names if context.writes(name) and _titles(context, self._passages[index], name)
        ]
        missing = [
            name for name in self._names if name not in titled and not (said.writes(name) and _mentions(said, name))
        ]
        if titled or not is_name(context):
            return len(missing) <= (0 if titled else 1)
        what, label = self._asked - self._subject, _LABEL_OF.match(quote)
        return not missing and not label and (not what or not what.isdisjoint(content_words(quote)))

    @property
    def is_mentioned(self) -> bool:
        """Whether a passage, or what it stands below, mentions what is asked about, whatever else it lacks."""
        return any(text.shares_word(name) for name in self._names for text in (*self._passages, *self._contexts))

    def may_deny(self, index: int) -> bool:
        """Whether a passage can say no: what the page of one country says of itself does not deny it of another."""
        passage, context = self._passages[index], self._contexts[index]
        is_its_page = not is_name(context) or any(_titles(context, passage, name) for name in self._names)
        return is_its_page or self.mentions_all(index)

    def _foretells(self, text: str) -> bool:
        """Whether a text names a year to come that is asked for, if one is; a number of now says nothing of it."""
        return not self._years_to_come or not self._years_to_come.isdisjoint(_years(text))

    def _shares_words(self, text: str) -> bool:
        words = content_words(text) if self._needed > 0 or self._counted else frozenset[str]()
        if len(self._asked & words) < self._needed or (self._counted and self._counted.isdisjoint(words)):
            return False
        joined = _BETWEEN_PARTS.sub("", without_accents(text).lower()) if self._rare else ""
        return not self._rare or any(word[:-_RARE_ENDING] in joined for word in self._rare)

    def allows(self, passage: int, start: int, end: int) -> bool:
        """Whether characters [start, end) of the passage may be about the subject: on a page that is named after
        something else, their sentence has to mention it, a year that is asked for is none that it excludes, they do not
        stand in a label, no other label in the passage is the one that is asked for, what only describes the subject is
        said, their sentence begins with no other name, and it says nothing of the same kind instead (none of 107 right
        answers is lost), nor the same of another subject (one of 5,833).
        """
        named, context = self._passages[passage], self._contexts[passage]
        text = named.text
        quote = sentence_at(text, start, end)
        if self._is_of_another_year(f"{context.text} {text[quote.start : start]} {text[end : quote.end]}", text):
            return False
        if is_of_another_field(self._question, text, start, end) or self.is_mislabelled(passage, start):
            return False
        if not self._described.allows(f"{context.text} {quote.text}"):
            return False
        if self._is_stated_otherwise(text, quote.start, start):
            return False
        sentence = NamedText(quote.text)
        begins_with_another = self._begins_with_another(sentence, context, text[quote.start : start], text[start:end])
        return not begins_with_another and self._enough(
            not is_name(context) or _titles(context, named, name) or _speaks_of(sentence, context, name)
            for name in self._names
        )

    def _begins_with_another(self, sentence: NamedText, context: NamedText, before: str, answer: str) -> bool:
        """Whether a sentence begins with another name than those that are asked for, of which it and its title have no
        word, and no pronoun before the answer stands for one.

        Of 3,523 right answers (SQuAD, HotpotQA, NQ, QED, QAMR, CLAPnq) 19 stand in such a sentence; if the question
        names something else of the passage, 100 of 2,355.
        """
        named = not self._names or any(text.shares_word(name) for text in (sentence, context) for name in self._names)
        if named or not _OF_SOMEBODY.isdisjoint(NamedText(before).folded):
            return False
        if sentence.small <= FUNCTION_WORDS:
            return False  # a headline, in which all words are large
        said = NamedText(answer).folded
        first = next((name for name in sentence.names if said.isdisjoint(name.words)), None)
        return first is not None and first.start <= _FIRST_CHARACTERS

    def is_mislabelled(self, passage: int, start: int) -> bool:
        """Whether a value that begins at `start` of the passage has a label that is not the one that is asked for."""
        return is_of_another_label(self._asked, self._subject, self._passages[passage].text, start)

    def _is_stated_otherwise(self, text: str, start: int, end: int) -> bool:
        """Whether a sentence, from its start to an answer, states another thing than is asked for, or that of another
        subject: the capital of Angola is, where that of the Congo is asked for.
        """
        label = _LABEL_OF.match(text, start, end)
        stated = list(_STATED.finditer(text, start, end))
        if any(self._is_sibling(match["said"]) for match in stated):
            return True
        if label and any(_is_namesake(NamedText(label["name"]), name) for name in self._names):
            return True
        return any(self._is_of_another(match) for match in (*stated, label) if match)

    def _is_of_another(self, stated: re.Match[str]) -> bool:
        """Whether it is what is asked for that is stated of another subject."""
        said, of = content_words(stated["said"]), NamedText(stated["name"])
        return bool(self._names and said) and said <= self._asked and not any(map(of.shares_word, self._names))

    def _is_sibling(self, said: str) -> bool:
        """Whether words say another thing of the same kind as the question asks for: national dish, national anthem.
        Superlatives say the same of another noun: highest peak, highest mountain.
        """
        *before, noun = said.split()
        others = content_words(" ".join(word for word in before if not word.endswith(("est", "most"))))
        return not others.isdisjoint(self._asked) and not self._asked >= content_words(noun)

    def _is_of_another_year(self, around: str, passage: str) -> bool:
        """Whether the text around an answer, else its passage, names years, and none asked for or between them."""
        named = _years(around) or _years(passage)
        return bool(self._years and named) and not any(min(named) <= year <= max(named) for year in self._years)

    def _enough(self, found: Iterable[bool]) -> bool:
        return not self._names or (any(found) if self._offers_choice else all(found))


def _needed_words(question: str, asked: int, expected: AnswerType, *, has_names: bool) -> int:
    """The number of the `asked` words that carry the meaning of a question and that a passage needs.

    For yes or no, and of key words without a name, more than half: of 2,295 web pages with a stance on a health
    question 9 in 10 have them, and 1 in 70 of those on another question. Of other questions without a name two,
    of two words one: of the passages that answer one of XQuAD 0.96 have them, of web results 0.98; of those that answer
    another question 0.03 and 0.17.
    """
    if expected is AnswerType.YES_NO or not (has_names or has_question_form(question)):
        return asked // 2 + 1 if asked else 0
    return 0 if has_names else min(FEWEST_WORDS, asked - 1)


def _counted(question: str) -> frozenset[str]:
    """The content words of what is counted: of how many teeth, but not how many kilometres, which may be miles."""
    asked = _COUNTED.search(question)
    return content_words(asked["counted"]) if asked and find_unit(asked["noun"]) is None else frozenset()


def _years(text: str) -> frozenset[int]:
    return frozenset(map(int, _YEAR.findall(text)))


def _is_namesake(text: NamedText, name: Name) -> bool:
    """Whether a text is about what shares the last word of a longer name, and is not it."""
    return len(name.words) > 1 and name.words[-1] in text.folded and not _mentions(text, name)


def _mentions(text: NamedText, name: Name) -> bool:
    return text.mention(name) >= Mention.PART


def _titles(context: NamedText, passage: NamedText, name: Name) -> bool:
    """Whether a title speaks of the name, and not of one that shares words with it, such as Sudan with South Sudan."""
    if context.mention(name) is Mention.WHOLE:
        return True
    if is_name(context) and context.folded - JOINERS != set(name.words):
        titled = [word.folded for word in context.words]
        return _is_surname(name, titled) and not _OF_A_PERSON.isdisjoint(passage.folded)
    return _mentions(context, name)


def _speaks_of(sentence: NamedText, title: NamedText, name: Name) -> bool:
    """Whether a sentence below another title mentions the name, or somebody of that surname."""
    if _mentions(sentence, name):
        return True
    return not title.shares_word(name) and any(_is_surname(name, longer.words) for longer in sentence.names)


def _is_surname(name: Name, longer: Sequence[str]) -> bool:
    """Whether the name is the last of several words: Tesla of Nikola Tesla, not Sudan of South Sudan, nor Samoa of
    American Samoa.
    """
    before, last = longer[:-1], tuple(longer[-1:])
    distinguished = any(word in DISTINGUISHING or is_adjective(word) for word in before)
    return bool(before) and name.words == last and not distinguished


def is_name(context: NamedText) -> bool:
    """Whether a title is a few words, all of them large but for `and`, and so the name of what its page is about:
    Trinidad and Tobago.
    """
    words = [word for word in context.words if word.folded not in JOINERS | _BETWEEN_NAMES]
    return 0 < len(words) <= MOST_WORDS_OF_A_NAME and all(word.capitalised for word in words)
