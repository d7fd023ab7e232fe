"""The questions in one: `What is the capital of Kenya and who is its president?` asks two. English."""

import re
from collections.abc import Iterator

from answering.questions.conversation import Role, Turn, question_by_rule
from answering.questions.kind import QuestionKind, has_question_form, question_kind, without_courtesy
from answering.questions.names import written_names

MOST_PARTS = 5
_ASKING = (
    r"(?:(?:in|on|at|from|to|by|of|for|with) )?(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|(?:is|are|was|were|does|do|did|has|have|can)\b(?=.*\?)"
)
# Between two questions of one sentence.
_AND = re.compile(rf",?\s+(?:(?:and|or|but)\s+(?:also\s+)?|also\s+)(?=(?:{_ASKING}))", re.IGNORECASE)
_JOINT = re.compile(r",?\s+(?:&|\+|n|plus|as well as)\s+(?=[a-z])")
_SENTENCES = re.compile(rf"(?<=\?)\s+(?=\S)|(?<=[.!])\s+(?=(?:\w+, )?(?:{_ASKING}))", re.IGNORECASE)
_BEGINS = re.compile(
    rf"^(?:(?:and|but|also|please|then|(?:can|could|would) you)[, ]+)*(?:{_ASKING}|(?:tell|give|show) me\b)",
    re.IGNORECASE,
)
# Who built the mill and who owned it asks two; the man who built the mill and who owned it is one.
_RELATIVE = re.compile(r"\w\s+(who|which|whose|where|when)\b(?![^,]*,)", re.IGNORECASE)
_LEADING = re.compile(r"^(?:(?:and|but|also|or)[, ]+)+", re.IGNORECASE)
# When and where was she born.
_BOTH = re.compile(
    r"^(?P<first>who|what|when|where|why|how) and (?P<second>who|what|when|where|why|how) (?P<rest>.+)$", re.IGNORECASE
)
_NAME = r"(?:the )?[A-Z][\w.'\u2019-]*(?: (?:[A-Z][\w.'\u2019-]*|of|the|de|la))*"
# The capitals of Belgium and Switzerland: the plural says that each has its own.
_PLURAL = re.compile(
    rf"^(?P<before>.*\b)(?P<noun>capitals|currencies|populations|areas|\w+(?:codes|names|ages|sizes|languages|presidents|"
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
_PRONOUN = re.compile(r"\b(?:it|he|him|she|her|they|them)\b", re.IGNORECASE)
_AND_OF = re.compile(
    r"^(?:and|or|what about|how about)\s+(?:(?:that|those|the one) )?(?P<of>(?:of|in|for) .+)$", re.IGNORECASE
)
_POINTS = re.compile(r"\b(?:it|he|him|his|she|her|they|them|their|this|that|these|those|there)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|his|her(?= \w)|their)\b", re.IGNORECASE)
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)


def question_parts(question: str) -> tuple[str, ...]:
    """The questions that an input asks, each whole; one alone without a greeting before it.

    >>> question_parts("What is the capital of Kenya and who is its president?")
    ('What is the capital of Kenya?', "who is Kenya's president?")
    """
    asked = without_courtesy(question)
    pieces = [
        piece
        for sentence in _SENTENCES.split(_JOINT.sub(" and ", asked))
        for piece in _in_sentence(sentence)
        if question_kind(piece) not in {QuestionKind.NOT_A_QUESTION, QuestionKind.NO_WORDS}
    ]
    first = next((place for place, piece in enumerate(pieces) if has_question_form(piece)), 0)
    if first and len(pieces) == first + 1:
        # What is said before a question is its context, which it needs unless it names what it is about.
        needed = not written_names(pieces[first]) or _POINTS.search(pieces[first])
        return (asked if needed else pieces[first],)
    pieces = pieces[first:]
    if len(pieces) < 2:
        return (asked,)
    whole: list[str] = []
    for piece in pieces[:MOST_PARTS]:
        whole.append(_completed(whole, piece))
    parts = tuple(dict.fromkeys(whole))
    return parts if len(parts) > 1 else (asked,)


def _in_sentence(sentence: str) -> Iterator[str]:
    for pattern in (_BOTH, _OWNED, _PLURAL, _SHARED, _KEYWORDS, _REPEATED):
        if match := pattern.match(sentence):
            yield from _expanded(match.groupdict())
            return
    start = 0
    for match in _AND.finditer(sentence):
        left = sentence[start : match.start()]
        if _BEGINS.match(f"{left}?") and not _RELATIVE.search(_BEGINS.sub("", left)) and len(left.split()) > 2:
            yield f"{left.rstrip(' ?,')}?"
            start = match.end()
    yield sentence[start:]


def _expanded(found: dict[str, str]) -> Iterator[str]:
    """Both questions of a sentence that asks them with words in common."""
    if "owner" in found:
        before = _singular_verb(found["before"])
        yield f"{before}{found['owner']}'s {found['first']}?"
        yield f"{before}{found['other'] or found['owner']}'s {found['second']}?"
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
    names = written_names(before[-1])
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
