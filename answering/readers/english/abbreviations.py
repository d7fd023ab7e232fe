"""What an abbreviation stands for: words that hold its letters. English."""

import re
from collections import Counter

from answering.text import without_accents

_ABBREVIATION = r"[A-Z][\w.&/-]*[A-Z][\w.]*"
_ASKED = re.compile(
    rf"\b(?:do|does|did|is|are|was|were) (?:the )?(?:acronym |abbreviation |letters |initials )?"
    rf"[\"'\u2018\u201c]?(?P<does>{_ABBREVIATION})['\"\u2019\u201d]?s?"
    r" (?:stands? for|(?:an? |the )?(?:short|abbreviation|acronym) (?:of|for))\b"
    rf"|\b(?:full (?:form|name|meaning)|expansion) of (?:the )?(?P<of>{_ABBREVIATION})"
)
_ARTICLE = re.compile(r"(?:the|an?) ", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"[A-Z]{2,6}")
_BEFORE_CODE = re.compile(r"(?P<named>[^\W\d_]+) \($")
_OF_CODES = re.compile(
    r"\b(?:codes?|abbreviat\w*|acronyms?|initials?|symbols?|short\w*|stands?|known|called|iso|ticker|nick\w+|refer\w*"
    r"|terms?|names?|named|titles?|letters?|mean\w*)\b",
    re.IGNORECASE,
)
# Words that may belong to it before what a reader took.
_MOST_WORDS_BEFORE = 4


def begin_of_expansion(question: str, passage: str, start: int, end: int) -> int | None:
    """Where the fewest words begin that end with [start, end) and have the letters of the abbreviation that a question
    asks about: each in its order, or as capitals of words in any. None if none have; `start` for another question.

    Of 65 right answers of the training sets three are none: International Commission on Illumination for CIE.

    >>> passage, question = "attention deficit hyperactivity disorder (ADHD)", "What does ADHD stand for?"
    >>> begin_of_expansion(question, passage, 18, 40), begin_of_expansion(question, passage, 0, 17)
    (0, None)
    """
    asked = _ASKED.search(question)
    if asked is None:
        return start
    letters = "".join(_letters(asked["does"] or asked["of"]))
    before = list(_WORD.finditer(passage, passage.rfind("\n", 0, start) + 1, start))[-_MOST_WORDS_BEFORE:]
    begins = [word.start() for word in (*before, *_WORD.finditer(passage, start, end))]
    return next((begin for begin in reversed(begins) if _has_letters(letters, passage[begin:end])), None)


def is_code_of_the_subject(question: str, passage: str, start: int, end: int) -> bool:
    """Whether it is the code in brackets behind what the question names, which is only another name of that: MLT in
    Malta (MLT). Of 79,865 right answers of the training sets and SQuADShifts one is, where no code is asked for.
    """
    before = _BEFORE_CODE.search(passage[:start])
    if before is None or not _CODE.fullmatch(passage, start, end) or passage[end : end + 1] != ")":
        return False
    return before["named"].lower() in question.lower() and not _OF_CODES.search(question)


def _has_letters(letters: str, answer: str) -> bool:
    written = _WORD.findall(_ARTICLE.sub("", answer, count=1))
    words = [without_accents(word).lower() for word in written]
    if letters in words:
        return False  # the abbreviation itself
    remaining = iter("".join(words))
    in_order = words and words[0][0] == letters[0] and all(letter in remaining for letter in letters)
    return bool(in_order) or Counter(letters) <= Counter(word[0].lower() for word in written if word[0].isupper())


def _letters(abbreviation: str) -> list[str]:
    return re.findall("[a-z]", without_accents(abbreviation.removesuffix("s")).lower())
