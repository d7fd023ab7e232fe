"""The questions in one: `What is the capital of Kenya and who is its president?` asks two. English."""

import re
from collections.abc import Iterator, Sequence

from answering.questions.conversation import Role, Turn, question_by_rule
from answering.questions.kind import QuestionKind, has_question_form, question_kind, without_courtesy
from answering.questions.names import question_names, written_names

MOST_PARTS = 5
_ASKING = (
    r"(?:(?:in|on|at|from|to|by|of|for|with) )?(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|(?:is|are|was|were|does|do|did|has|have|can)\b(?=.*\?)"
)
# Between two questions of one sentence.
_AND = re.compile(
    rf",?\s+(?:(?:and|or|but)\s+(?:also\s+)?|also\s+)(?=(?:{_ASKING}))|\s+and also\s+(?=the (?:\w+ ){{1,3}}of\b)",
    re.IGNORECASE,
)
_JOINT = re.compile(r",?\s+(?:&|\+|n|plus|as well as)\s+(?=[a-z])")
# Before what is asked: for my geography test: the capital of Malta.
_PREAMBLE = re.compile(r"^(?:[^\s:?]+ ){2,15}[^\s:?]+:\s+(?=\S)")
_ITEM = re.compile(r"(?:^|(?<=[\s:,.;]))(?:\(?\d\)|\d\.|(?:first|second|third)(?:ly)?[:,])\s+", re.IGNORECASE)
_SENTENCES = re.compile(rf"(?<=\?)\s+(?=\S)|(?<=[.!])\s+(?=(?:\w+, )?(?:{_ASKING}))", re.IGNORECASE)
_BEGINS = re.compile(
    rf"^(?:(?:and|but|also|please|then|(?:can|could|would) you|(?:i|we)(?:'d| would)? (?:want|need|like|love) to know)"
    rf"[, ]+)*(?:{_ASKING}|(?:tell|give|show) me\b)",
    re.IGNORECASE,
)
# Who built the mill and who owned it asks two; the man who built the mill and who owned it is one.
_RELATIVE = re.compile(r"\w\s+(who|which|whose|where|when)\b(?![^,]*,)", re.IGNORECASE)
_LEADING = re.compile(r"^(?:(?:oh|and|but|also|or|then|furthermore|finally)[, ]+)+", re.IGNORECASE)
# When and where was she born.
_BOTH = re.compile(
    r"^(?P<first>who|what|when|where|why|how) and (?P<second>who|what|when|where|why|how) (?P<rest>.+)$", re.IGNORECASE
)
_NAME = r"(?:the )?[A-Z][\w.'\u2019-]*(?: (?:[A-Z][\w.'\u2019-]*|of|the|de|la))*"
# The capitals of Belgium and Switzerland: the plural says that each has its own.
_PLURAL = re.compile(
    rf"^(?P<before>.*\b)(?P<noun>capitals|currencies|populations|areas|\w*(?:codes|names|ages|sizes|languages|presidents|"
    rf"ministers|founders|authors)) of (?P<first>{_NAME}|[a-z]+) and (?P<second>{_NAME}|[a-z]+)(?P<rest>\W*)$"
)
# The capital of Togo and the capital of Niger; the capital and the currency of Kenya.
_REPEATED = re.compile(
    r"^(?P<before>.*?)(?P<first>(?:the )?(?P<noun>[\w ]+?) of .+?),? and "
    r"(?P<second>(?:the )?(?P=noun) of .+)$",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"^(?P<before>.*\b(?:is|are|was|were|tell me|name|give me)\s)(?P<first>the [\w-]+(?: [\w-]+)?) and "
    r"(?P<second>(?:the )?[\w-]+(?: [\w-]+)?) (?P<of>of .+)$",
    re.IGNORECASE,
)
_KEYWORDS = re.compile(r"^(?P<before>)(?P<first>[a-z-]+) and (?P<second>[a-z-]+) (?P<of>of .+)$", re.IGNORECASE)
# Kenya's capital and currency; Chad's capital and Mali's currency.
_OWNED = re.compile(
    rf"^(?P<before>(?!who\b)(?:.*? )?)(?P<owner>{_NAME})['\u2019]s (?P<first>[a-z]+(?: [a-z]+)?),? and "
    rf"(?:(?:its|his|her|their|the) |(?P<other>{_NAME})['\u2019]s )?(?P<second>[a-z]+(?: [a-z]+)?)\W*$"
)
# The calling code of Peru and its currency.
_ITS = re.compile(
    rf"^(?P<before>.*?)the (?P<first>[\w-]+(?: [\w-]+)?) of (?P<owner>{_NAME}),? and (?:its|their) "
    rf"(?P<second>[a-z]+(?: [a-z]+)?)\W*$"
)
# Malta: capital, currency; capital of Malta is asked with the noun of each.
_LISTED = re.compile(
    rf"^(?P<name>{_NAME}) ?[:\u2013-] (?P<nouns>[a-z]+(?: [a-z]+)?(?:(?:,| and|, and) [a-z]+(?: [a-z]+)?)+)\W*$"
)
# The calling code of Malta and the one of Togo.
_THE_ONE = re.compile(
    rf"^(?P<before>.*?\b)(?P<preposition>of|for|in) (?P<first>{_NAME}),? and (?:the one|that) (?P=preposition) "
    rf"(?P<second>{_NAME})\W*$"
)
# Capital Malta and currency Malta.
_SAME_NAME = re.compile(
    r"^(?P<first>[a-z]+(?: [a-z]+)? (?P<name>[\w'\u2019-]+)),? and (?P<second>[a-z]+(?: [a-z]+)? (?P=name))\W*$"
)
_ASKS = re.compile(r"\b(?:is|are|was|were|in|of|on|at) (?:who|whose|what|which|when|where)\b", re.IGNORECASE)
_MOST_KEY_WORDS = 6
# What is said of oneself may be what the questions are about: we move to Oslo.
_PLACE = re.compile(r"\b(?:in|to|from|of|at|about) [A-Z]")
_PRONOUN = re.compile(r"\b(?:it|he|him|she|her|they|them)\b", re.IGNORECASE)
_AND_OF = re.compile(
    r"^(?:and|or|what about|how about)\s+(?:(?:that|those|the one) )?(?P<of>(?:of|in|for) .+)$", re.IGNORECASE
)
_POINTS = re.compile(r"\b(?:it|he|him|his|she|her|they|them|their|this|that|these|those|there)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|his|her(?= \w)|their)\b", re.IGNORECASE)
_THERE = re.compile(r"\b(?:over )?there\b|\bin (?:that|this) (?:country|city|town|place)\b", re.IGNORECASE)


def question_parts(question: str) -> tuple[str, ...]:
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
        for sentence in items or _SENTENCES.split(_JOINT.sub(" and ", asked))
        for piece in _in_sentence(sentence)
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
    return parts if len(parts) > 1 else (asked,)


def _without_preamble(asked: str) -> str:
    """The question without the words before a colon, if these name nothing and ask for nothing."""
    preamble = _PREAMBLE.match(asked)
    if preamble is None or written_names(preamble[0]) or has_question_form(preamble[0]):
        return asked
    return asked[preamble.end() :]


def _listed(asked: str) -> Sequence[str]:
    """The items of a list: 1) who built the mill 2) who owns it."""
    marks = list(_ITEM.finditer(asked))
    ends = [*(mark.start() for mark in marks[1:]), len(asked)]
    return [asked[mark.end() : end].strip(" .,;") for mark, end in zip(marks, ends, strict=True)] if marks[1:] else []


def _in_sentence(sentence: str) -> Iterator[str]:
    if listed := _LISTED.match(sentence):
        yield from (f"{noun} of {listed['name']}?" for noun in re.split(r",? and |, ", listed["nouns"]))
        return
    for pattern in (_BOTH, _ITS, _OWNED, _PLURAL, _SHARED, _KEYWORDS, _REPEATED, _THE_ONE, _SAME_NAME):
        if match := pattern.match(sentence):
            yield from _expanded(match.groupdict())
            return
    start = 0
    for match in _AND.finditer(sentence):
        left = sentence[start : match.start()]
        if len(left.split()) > 2 and (_begins(left) or ("," in match[0] and _asks(left))):
            yield f"{left.rstrip(' ?,')}?"
            start = match.end()
    yield sentence[start:]


def _begins(left: str) -> bool:
    return _BEGINS.match(f"{left}?") is not None and not _RELATIVE.search(_BEGINS.sub("", left))


def _asks(left: str) -> bool:
    """Whether what stands before a comma asks: Luanda is in which country; the capital of Malta."""
    return _ASKS.search(left) is not None or (len(left.split()) <= _MOST_KEY_WORDS and bool(written_names(left)))


def _expanded(found: dict[str, str]) -> Iterator[str]:
    """Both questions of a sentence that asks them with words in common."""
    if "owner" in found:
        before = _singular_verb(found["before"])
        yield f"{before}{found['owner']}'s {found['first']}?"
        yield f"{before}{found.get('other') or found['owner']}'s {found['second']}?"
    elif "preposition" in found:
        for name in (found["first"], found["second"]):
            yield f"{found['before']}{found['preposition']} {name}?"
    elif "name" in found:
        yield f"{found['first']}?"
        yield f"{found['second']}?"
    elif "of" in found:
        second = found["second"] if found["second"].lower().startswith("the ") else f"the {found['second']}"
        yield f"{_singular_verb(found['before'])}{found['first']} {found['of'].rstrip(' ?')}?"
        yield f"{_singular_verb(found['before'])}{second} {found['of'].rstrip(' ?')}?"
    elif "before" in found and found["noun"] and "rest" in found:
        for name in (found["first"], found["second"]):
            yield f"{_singular_verb(found['before'])}{_singular(found['noun'])} of {name}?"
    elif "before" in found:
        yield f"{found['before']}{found['first']}?"
        yield f"{found['before']}{found['second'].rstrip(' ?.')}?"
    else:
        yield f"{found['first']} {found['rest'].rstrip(' ?')}?"
        yield f"{found['second']} {found['rest'].rstrip(' ?')}?"


def _singular_verb(before: str) -> str:
    return re.sub(r"\bare\b", "is", before)


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def _completed(before: list[str], piece: str) -> str:
    """A later question, with what it takes from the one before."""
    if not before:
        return piece
    names = question_names(before[-1])
    if names and (of := _AND_OF.match(piece)):
        preposition, _, name = of["of"].rstrip(" ?").partition(" ")
        start = before[-1].rfind(f"{preposition} ", 0, names[-1].start)
        return f"{before[-1][: start if start >= 0 else names[-1].start]}{preposition} {name}?"
    piece = _LEADING.sub("", piece)
    if names and not written_names(piece):
        owner = names[-1].text
        piece = _POSSESSIVE.sub(f"{owner}'s", _THERE.sub(f"in {owner}", piece), count=1)
    if not _PRONOUN.search(piece):
        return piece
    return question_by_rule([Turn(Role.USER, before[-1]), Turn(Role.USER, piece)])
