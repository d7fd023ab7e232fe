"""Labels of values, as those of tables and fact sheets: a value belongs to its label, which may be another than the one
that is asked for. English.
"""

import re
from collections.abc import Set

from answering.questions.answer_type import content_words

# Independence of Jordan: 25 May 1946; its first word is what the line tells, and no answer. Currency in Esk: crown.
_FIELD = re.compile(
    r"(?P<field>(?:Real )?[A-Z][\w'-]*(?: [a-z][\w'-]*){0,3}(?: \([a-z ]+\))?) (?:of|in) "
    r"(?:the )?(?P<name>[A-Z][\w' -]{1,60}): (?P<nested>[A-Z][a-z]+: )?"
)
# Of these a line tells one: a question about ethnic groups is not answered by a line of religions.
_TOLD = content_words(
    """religions languages ethnic currency climate imports exports industries resources area coastline elevation
    location population terrain parliament irrigated hazards debt growth gdp government legal holiday
    anthem sport dish animal flower bird motto calling"""
)
# Of a currency, which they name too.
_RATES = content_words("exchange rates")
_LARGE = re.compile(r"\b(?:size|how (?:large|big))\b", re.IGNORECASE)
_BORDERS = re.compile(r"\bborder\w*\b", re.IGNORECASE)
_PEOPLE = re.compile(r"\bhow many (?:people (?:live|reside)|inhabitants)\b", re.IGNORECASE)
# Where a country lies is not told by its government type, but where its capital lies by a line of that.
_WHERE = re.compile(r"\bwhere (?:is|are|was|were|does)\b", re.IGNORECASE)
_PLACED = content_words("location geographic coordinates region continent map address headquarters seat")
# The last words before a colon; no mark need end the value before them.
_LABEL = re.compile(r"(?:[^\W\d][\w'-]* ){0,3}[^\W\d][\w'-]*:(?=\s)")
# Of 1,085 passages of XQuAD and SQuADShifts (Wikipedia) with labels the rule hides the right answer of 3, with one word
# of 5, with four of 3.
_MOST_WORDS = 2


def is_of_another_field(question: str, passage: str, start: int, end: int) -> bool:
    """Whether [start, end) of the passage is the name of the field that its line tells, or stands in a line of others.

    >>> passage, asked = "Religions of Jordan: Muslim 97%", ("ethnic groups", "religions")
    >>> [is_of_another_field(f"Which {kinds} are there in Jordan?", passage, 21, 27) for kinds in asked]
    [True, False]
    """
    field = _field_at(passage, start)
    if field is None:
        return False
    if field["nested"] and field.start("nested") <= start and end <= field.end("nested"):
        return True
    words, field_words = content_words(question), content_words(field["field"])
    if end <= field.end("field") or (_WHERE.search(question) and field_words.isdisjoint(words | _PLACED)):
        return True
    asked, told = _TOLD & words, _TOLD & field_words
    if not asked and _LARGE.search(question):
        asked, told = content_words("area"), told | (_RATES & field_words)
    if not asked and _BORDERS.search(question):
        asked = content_words("location coastline")
    if not asked and _PEOPLE.search(question):
        asked = content_words("population")
    return bool(asked and told and asked.isdisjoint(told))


def within_field(passage: str, start: int, end: int) -> tuple[int, int]:
    """The characters [start, end) without what the line tells, and without the value behind a name in that.

    >>> passage = "Location of Jordan: Middle East"
    >>> within_field(passage, 0, 31), within_field(passage, 12, 31)
    ((20, 31), (12, 18))
    """
    field = _field_at(passage, start)
    if field is None or end <= field.end() or start >= field.end("name"):
        return start, end
    return (start, field.end("name")) if start >= field.start("name") else (field.end(), end)


def _field_at(passage: str, start: int) -> re.Match[str] | None:
    return _FIELD.match(passage, passage.rfind("\n", 0, start) + 1)


def is_of_another_label(question: Set[str], subject: Set[str], passage: str, start: int) -> bool:
    """Whether what begins at `start` stands behind a label that is not asked for, though the passage has one that is.

    `question` and `subject` are the content words of a question and of the names in it. A label is asked for if its
    last two words that carry meaning, but for those of the subject, are in the question. Labels without a value between
    them hold for the same one: `Capital of Kenya: name: Nairobi`.

    >>> passage = "Elevation: lowest point: Neusiedler See 115 m; highest point: Grossglockner"
    >>> question = content_words("What is the highest point in Austria?")
    >>> of = lambda value: is_of_another_label(question, content_words("Austria"), passage, passage.index(value))
    >>> of("Neusiedler"), of("Grossglockner")
    (True, False)
    """
    own: list[bool] = []
    passage_has_it, ended = False, -1
    for label in _LABEL.finditer(passage):
        said = _last_words(label[0], subject)
        is_asked = bool(said) and said <= question
        passage_has_it |= is_asked
        if label.end() <= start:
            nested = ended >= 0 and not passage[ended : label.start()].strip()
            own = [*own, is_asked] if nested else [is_asked]
        ended = label.end()
    return passage_has_it and bool(own) and not any(own)


def _last_words(label: str, subject: Set[str]) -> frozenset[str]:
    words = [stem for word in label.split() for stem in content_words(word) - subject if len(word) > 1]
    return frozenset(words[-_MOST_WORDS:])
