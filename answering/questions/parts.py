"""The questions in one: `What is the capital of Kenya and who is its president?` asks two. English."""

import re
from collections.abc import Collection, Iterator, Sequence

from answering.questions.conversation import Role, Turn, question_by_rule
from answering.questions.coordination import CLAUSE, QUESTION_WORD, continued, segments
from answering.questions.kind import QuestionKind, has_question_form, question_kind, without_courtesy
from answering.questions.names import question_names, written_names

MOST_PARTS = 5
# Before what is asked: for my geography test: the capital of Malta.
_PREAMBLE = re.compile(r"^(?:[^\s:?]+ ){2,15}[^\s:?]+:\s+(?=\S)")
_ITEM = re.compile(r"(?:^|(?<=[\s:,.;]))(?:\(?\d\)|\d\.|(?:first|second|third)(?:ly)?[:,])\s+", re.IGNORECASE)
_SENTENCES = re.compile(
    rf"(?<=\?)\s+(?=\S)|(?<=[.!])\s+(?=(?:\w+, )?(?:{CLAUSE}|(?:i|we) (?:also )?(?:want|need)\b|the \w+ of\b))",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:oh|and|but|also|or|then|furthermore|finally)[, ]+)+", re.IGNORECASE)
# When and where was she born.
_BOTH = re.compile(
    r"^(?P<first>who|what|when|where|why|how) and (?P<second>who|what|when|where|why|how) (?P<rest>.+)$", re.IGNORECASE
)
_NAME = r"(?:the )?[A-Z][\w.'\u2019-]*(?: (?:[A-Z][\w.'\u2019-]*|of|the|de|la))*"
# Malta: capital, currency; capital of Malta is asked with the noun of each.
_LISTED = re.compile(
    rf"^(?P<name>{_NAME}) ?[:\u2013-] (?P<nouns>[a-z]+(?: [a-z]+)?(?:(?:,| and|, and) [a-z]+(?: [a-z]+)?)+)\W*$"
)
_WISH = re.compile(
    r"^(?:i|we)(?:'d| would)? (?:also |just |only )?(?:want|need|like)(?: to (?:know|have))? "
    r"(?=(?:the|its|their) \w+|[A-Z]\w+['\u2019]s )(?!.*\bto [a-z]+$)",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:so )?(?:i|we|my \w+|our \w+)\b[^?:]{0,60}?\b(?:wonder\w*|ask\w*|know|forg[eo]t\w*|curious)\b[^?]{0,20}?,? "
    rf"(?:but )?(?={QUESTION_WORD}\b)",
    re.IGNORECASE,
)
_TELL = re.compile(r",? (?:can|could) you (?:please )?(?:tell|help) me\W*$", re.IGNORECASE)
# What is said of oneself may be what the questions are about: we move to Oslo.
_PLACE = re.compile(r"\b(?:in|to|from|of|at|about) [A-Z]")
_PRONOUN = re.compile(r"\b(?:it|he|him|she|her|they|them)\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|he|him|his|she|her|they|them|their|this|that|these|those|there)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|his|her(?= \w)|their)\b", re.IGNORECASE)
# And what is the capital?
_OF_NOTHING = re.compile(r"^what(?:['\u2019]s| is| are) the \w+(?: \w+)?(?=\W*$)", re.IGNORECASE)
_THERE = re.compile(r"\b(?:over )?there\b|\bin (?:that|this) (?:country|city|town|place)\b", re.IGNORECASE)


def question_parts(question: str, apart: Collection[tuple[str, str]] = ()) -> tuple[str, ...]:
    """The questions that an input asks, each whole; one alone without a greeting before it.

    >>> question_parts("What is the capital of Kenya and who is its president?")
    ('What is the capital of Kenya?', "who is Kenya's president?")
    """
    asked = without_courtesy(question)
    items = _listed(asked)
    if not items:
        asked = _without_preamble(asked)
    pieces = [
        piece
        for sentence in items or map(_without_wish, _SENTENCES.split(asked))
        for piece in _in_sentence(sentence, apart)
        if _PLACE.search(piece) or question_kind(piece) not in {QuestionKind.NOT_A_QUESTION, QuestionKind.NO_WORDS}
    ]
    first = next((place for place, piece in enumerate(pieces) if has_question_form(piece)), 0)
    if first and len(pieces) == first + 1:
        # What is said before a question is its context, which it needs unless it names what it is about.
        needed = not written_names(pieces[first]) or _POINTS.search(pieces[first])
        return (asked if needed else pieces[first],)
    context, pieces = " ".join(pieces[:first]), pieces[first:]
    if context:
        pieces = [piece if written_names(piece) else f"{context} {piece}" for piece in pieces]
    if len(pieces) < 2:
        return (asked,)
    whole: list[str] = []
    for piece in pieces[:MOST_PARTS]:
        whole.append(_completed(whole, piece))
    parts = tuple(dict.fromkeys(whole))
    asks = any(question_kind(part) is QuestionKind.QUESTION for part in parts)
    return parts if len(parts) > 1 and asks else (asked,)


def _without_preamble(asked: str) -> str:
    """The question without the words before a colon, if these name nothing and ask for nothing."""
    preamble = _PREAMBLE.match(asked)
    if preamble is None or written_names(preamble[0]) or has_question_form(preamble[0]):
        return asked
    return asked[preamble.end() :]


def _without_wish(sentence: str) -> str:
    """What somebody wants: I also need the currency of Malta; my son asks how old Oslo is, can you tell me?"""
    lead = _LEAD_IN.match(sentence)
    if lead and not written_names(lead[0]):
        sentence = sentence[lead.end() :]
    return _TELL.sub("?", _WISH.sub("", sentence))


def _listed(asked: str) -> Sequence[str]:
    """The items of a list: 1) who built the mill 2) who owns it."""
    marks = list(_ITEM.finditer(asked))
    ends = [*(mark.start() for mark in marks[1:]), len(asked)]
    return [asked[mark.end() : end].strip(" .,;") for mark, end in zip(marks, ends, strict=True)] if marks[1:] else []


def _in_sentence(sentence: str, apart: Collection[tuple[str, str]]) -> Iterator[str]:
    if listed := _LISTED.match(sentence):
        yield from (f"{noun} of {listed['name']}?" for noun in re.split(r",? and |, ", listed["nouns"]))
        return
    if both := _BOTH.match(sentence):
        yield from (f"{both[word]} {both['rest'].rstrip(' ?')}?" for word in ("first", "second"))
        return
    yield from segments(sentence, apart)


def _completed(before: list[str], piece: str) -> str:
    """A later question, with what it takes from the one before."""
    if not before:
        return piece
    names = question_names(before[-1])
    if repeated := continued(before[-1], piece):
        return repeated
    piece = _LEADING.sub("", piece)
    if names and not written_names(piece):
        owner = names[-1].text
        piece = _POSSESSIVE.sub(f"{owner}'s", _THERE.sub(f"in {owner}", piece), count=1)
        piece = _OF_NOTHING.sub(rf"\g<0> of {owner}", piece)
    if not _PRONOUN.search(piece):
        return piece
    return question_by_rule([Turn(Role.USER, before[-1]), Turn(Role.USER, piece)])
