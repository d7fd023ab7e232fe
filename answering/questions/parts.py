"""The questions in one: `What is the capital of Kenya and who is its president?` asks two. English."""

import re
from collections.abc import Collection, Iterator, Sequence

from answering.questions.clauses import CLAUSE, QUESTION_WORD
from answering.questions.conversation import Role, Turn, question_by_rule
from answering.questions.coordination import continued, segments
from answering.questions.courtesy import without_courtesy
from answering.questions.kind import QuestionKind, has_question_form, question_kind
from answering.questions.names import question_names, written_names
from answering.questions.word_classes import tagged
from answering.questions.word_forms import POSSESSIVE

MOST_PARTS = 5
# Before what is asked: for my geography test: the capital of Malta.
_PREAMBLE = re.compile(r"^(?!(?i:true or false)\b)(?:[^\s:?]+ ){1,15}[^\s:?]+:\s+(?=\S)")
# With its colon; so few are a preamble if they say more than what is asked for: quick one, not capital.
_FEW_WORDS = 3
_ITEM = re.compile(r"(?:^|(?<=[\s:,.;]))(?:\(?[\da-e]\)|\d\.|(?:first|second|third)(?:ly)?[:,])\s+", re.IGNORECASE)
# A small verb begins no sentence, and none ends with an initial: Dahl, Inc. is old; J. Dahl.
_WISHES = r"(?:i|we)(?:'d| would)? (?:also )?(?:want|need|like)\b"
_SENTENCES = re.compile(
    r"(?<=\?)\s+(?=\S)|(?<=[.!])(?<!\b(?-i:[A-Z])\.)\s+(?!(?-i:is|are|was|were|does|do|did|has|have|can)\b)"
    rf"(?=(?:\w+, |(?:also|furthermore|moreover|then) )?(?:{CLAUSE}|{_WISHES}|(?-i:And|Also)\b|the \w+ of\b))"
    r"|,? and (?=(?:my|our) \w+ (?:wants?|needs?|would like) to know\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:oh|and|but|also|or|then|furthermore|finally)[, ]+)+", re.IGNORECASE)
# When and where was she born.
_BOTH = re.compile(
    r"^(?P<first>who|what|when|where|why|how) and (?P<second>who|what|when|where|why|how) (?P<rest>.+)$", re.IGNORECASE
)
# What all of it is about, in the classes of words: in Malta, what is; two things on Malta: its area; Malta: area.
_TOPIC = re.compile(r"^[^.SWV]*?(?P<name>D?N+)R?\.")
_WISH = re.compile(
    r"^(?:i|we)(?:'d| would)? (?:also |just |only )?(?:want|need|like)(?: to (?:know|have))? "
    r"(?=(?:the|its|their) \w+|[A-Z]\w+['\u2019]s )(?!.*\bto [a-z]+$)",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:so )?(?:i|we|my \w+|our \w+)\b[^?:]{0,60}?\b(?:wonder\w*|ask\w*|know|forg[eo]t\w*|curious)\b[^?]{0,20}?,? "
    rf"(?:but )?(?={QUESTION_WORD}\b)"
    r"|^[^?]{0,300}?\b(?:(?:tell|show|inform) (?:me|us)|let (?:me|us) know"
    r"|(?:i|my \w+|we)(?:'d| would)? (?:like|wants?|needs?) to know)(?: about)? "
    rf"(?={QUESTION_WORD}\b|the \w+|its \w+)"
    rf"|^(?:not sure|no idea|i know|maybe|sorry)\b[^?]{{0,80}}?,? but (?={QUESTION_WORD}\b)",
    re.IGNORECASE,
)
_TELL = re.compile(r",? (?:can|could) you (?:please )?(?:tell|help) me\W*$", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|he|him|she|her|they|them)\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(r"\b(?:do|did|can) (?:they|people)\b(?!.* (?:in|of|from) )", re.IGNORECASE)
_WHAT_TIME = re.compile(r"\bwhat (?:year|day|date|time|month) is it\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|he|him|his|she|her|they|them|their|this|that|these|those|there)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|his|her(?= \w)|their)\b", re.IGNORECASE)
_NOUNS = r"the \w+(?: (?!of\b)\w+)?"
# And what is the capital (called)? What the capital is called; the capital?
_OF_NOTHING = re.compile(
    rf"^(?:(?:what|who|which|where|when)(?:['\u2019]s| is| are| was| were) {_NOUNS}?(?=(?: called| named)?\W*$)"
    rf"|(?:what|who|where) {_NOUNS}?(?= (?:is|are|was|were)(?: called| named)?\W*$)|{_NOUNS}(?=\W*$))",
    re.IGNORECASE,
)
# When did Malta join? And when did Cyprus?
_SAME_OF = re.compile(
    r"^(?:(?P<same>(?:when|where|how|why|what|who) (?:did|do|does|is|are|was|were|has|have|can))|(?:what|how) about) "
    r"(?P<name>(?-i:(?:the )?[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)*))\W*$",
    re.IGNORECASE,
)
_ITS = re.compile(
    r"^(?:what|who|where|how \w+)(?:['\u2019]s| is| are| was| were) (?:its|his|her|their)\b", re.IGNORECASE
)
_PLACES = "(?:country|city|town|place)"
_THERE = re.compile(rf"\b(?:over )?there\b|\bin (?:that|this) {_PLACES}\b", re.IGNORECASE)
_THE_PLACE = re.compile(rf"\b(?:the|that|this) {_PLACES}(?=(?: is)?\W*$)", re.IGNORECASE)


# Behind a question, why it is asked: I have to call my aunt; need it for school.
_REASON_TO_ASK = re.compile(
    r"[,.;?!]\s+(?:i|we|my|need|because|cos|cuz|it['\u2019]?s for|asking for)\b[^?]*$", re.IGNORECASE
)
# Two things about Malta: its area and its age.
_THINGS = re.compile(r",? and (?=(?:the|its)\b)|, (?=(?:the|its)\b)", re.IGNORECASE)
_QUOTED_QUESTION = re.compile(r"[\"“]([^\"“”]{8,}\?)[\"”]")


def question_parts(question: str, apart: Collection[tuple[str, str]] = ()) -> tuple[str, ...]:
    """The questions that an input asks, each whole; one alone without a greeting before it.

    >>> question_parts("What is the capital of Kenya and who is its president?")
    ('What is the capital of Kenya?', "who is Kenya's president?")
    >>> question_parts("True or false: Kenya is flat.")
    ('True or false: Kenya is flat.',)
    """
    asked = without_courtesy(" ".join(question.split()))
    if len(quoted := _QUOTED_QUESTION.findall(asked)) > 1:
        return tuple(quoted[:MOST_PARTS])
    asked = _without_reason(asked)
    if of_topic := _on_topic(asked, apart):
        return of_topic
    items = _listed(asked)
    if not items:
        asked = _without_preamble(asked)
    pieces = [
        piece
        for sentence in items or map(_without_wish, map(without_courtesy, _SENTENCES.split(asked)))
        for piece in _in_sentence(sentence, apart)
        if written_names(piece) or question_kind(piece) not in {QuestionKind.NOT_A_QUESTION, QuestionKind.NO_WORDS}
    ]
    asking = map(has_question_form, pieces) if any(map(has_question_form, pieces)) else map(question_names, pieces)
    first = next((place for place, asks in enumerate(asking) if asks), 0)
    if first and len(pieces) == first + 1:
        # What is said before a question is its context, which it needs unless it names what it is about.
        before = question_names(pieces[first - 1])
        is_plain = len(before) == 1 or (before and _THERE.search(pieces[first]))
        if is_plain and not written_names(pieces[first]) and (about := question_about(pieces[first], before[-1].text)):
            return (about,)
        needed = not written_names(pieces[first]) or _POINTS.search(pieces[first])
        return (asked if needed else pieces[first],)
    context, pieces = " ".join(pieces[:first]), pieces[first:]
    if context:
        pieces = [piece if question_names(piece) else f"{context} {piece}" for piece in pieces]
    if len(pieces) < 2:
        return (asked,)
    whole: list[str] = []
    for piece in pieces[:MOST_PARTS]:
        whole.append(_completed(whole, piece))
    parts = tuple(dict.fromkeys(whole))
    asks = any(question_kind(part) is QuestionKind.QUESTION for part in parts)
    return parts if len(parts) > 1 and asks else (asked,)


def _without_reason(asked: str) -> str:
    """The question without what somebody says of himself behind it, which names nothing."""
    reason = _REASON_TO_ASK.search(asked)
    if reason is None or not has_question_form(asked[: reason.start()]) or written_names(reason[0]):
        return asked
    return asked if has_question_form(reason[0].lstrip(",.;?! ")) else asked[: reason.start() + 1].rstrip(",;. ")


def _without_preamble(asked: str) -> str:
    """The question without the words before a colon, if these name nothing and ask for nothing."""
    preamble = _PREAMBLE.match(asked)
    if preamble is None or written_names(preamble[0]) or not set("WV").isdisjoint(tags := tagged(preamble[0]).tags):
        return asked
    if len(tags) <= _FEW_WORDS and set("ROI").isdisjoint(tags):
        return asked
    return asked[preamble.end() :]


def _without_wish(sentence: str) -> str:
    """What somebody wants: I also need the currency of Malta; my son asks how old Oslo is, can you tell me?"""
    lead = _LEAD_IN.match(sentence := _LEADING.sub("", sentence))
    if lead:
        rest = sentence[lead.end() :]
        names = written_names(lead[0])
        rest = f"tell me {rest}" if rest.startswith(("the ", "its ")) else rest
        sentence = rest if not names else question_about(rest, names[-1].text) or sentence
    return _TELL.sub("?", _WISH.sub("", sentence))


def question_about(piece: str, owner: str) -> str | None:
    """A question with the name of what it is about in the place of a possessive or `there`, or behind what it asks for;
    None if it lacks none.

    >>> question_about("What is its age?", "Esk"), question_about("Who is the mayor?", "Esk")
    ("What is Esk's age?", 'Who is the mayor of Esk?')
    """
    if re.fullmatch("C{1,2}[.]*", tagged(piece, begins=False).tags):
        return f"{piece.rstrip(' ?.!')} of {owner}?"
    owned = _POSSESSIVE.sub(f"{owner}'s", _THERE.sub(f"in {owner}", piece), count=1)
    owned = _THE_PLACE.sub(owner, owned.replace(f"from in {owner}", f"from {owner}"))
    owned = _OF_NOTHING.sub(rf"\g<0> of {owner}", owned) if owned == piece else owned
    return owned if owned != piece else None


def _on_topic(asked: str, apart: Collection[tuple[str, str]]) -> tuple[str, ...]:
    """The questions about a name that stands before them; none without one, or of one that does not refer to it."""
    words = tagged(asked)
    topic = _TOPIC.match(words.tags)
    if topic is None:
        return ()
    name, end = words.part(topic, "name"), words.spans[topic.end() - 1][1]
    rest = asked[end:].strip()
    things = _THINGS.split(rest.lstrip(":,- ").rstrip(" ?.!"))
    if (
        len(things) > 1
        and asked[end - 1] == ":"
        and all(re.match("(?:the|its) ", thing, re.IGNORECASE) for thing in things)
    ):
        return tuple(f"What is the {thing.split(' ', 1)[1]} of {name}?" for thing in things[:MOST_PARTS])
    if asked[end - 1] not in ",:\u2013-" or "N" in tagged(rest).tags or has_question_form(asked[:end]):
        return ()
    owned = _POSSESSIVE.sub(f"{name}'s", rest, count=1)
    if re.match("(?:D?C)+[.O]", tagged(rest).tags):
        owned = f"{name}'s {re.sub('^the ', '', rest)}"
    sentences = re.split(r"(?<=\?)\s+", owned)
    sentences = [*sentences[:1], *(question_about(sentence, name) or sentence for sentence in sentences[1:])]
    pieces = [piece for sentence in sentences for piece in segments(sentence, apart)]
    if len(pieces) < 2:
        return (owned,) if _ITS.match(rest) else ()
    return tuple(
        piece if {"N", "S"} & set(tagged(piece).tags) else f"{asked[:end]} {piece}" for piece in pieces[:MOST_PARTS]
    )


def _listed(asked: str) -> Sequence[str]:
    """The items of a list: 1) who built the mill 2) who owns it."""
    marks = list(_ITEM.finditer(asked))
    ends = [*(mark.start() for mark in marks[1:]), len(asked)]
    return [asked[mark.end() : end].strip(" .,;") for mark, end in zip(marks, ends, strict=True)] if marks[1:] else []


def _in_sentence(sentence: str, apart: Collection[tuple[str, str]]) -> Iterator[str]:
    if both := _BOTH.match(sentence):
        yield from (f"{both[word]} {both['rest'].rstrip(' ?')}?" for word in ("first", "second"))
        return
    yield from segments(sentence, apart)


def _completed(before: list[str], piece: str) -> str:
    """A later question, with what it takes from the one before."""
    if not before:
        return piece
    if repeated := continued(before[-1], piece):
        return repeated
    piece = _LEADING.sub("", piece)
    same = _SAME_OF.match(piece)
    if same and before[-1].lower().startswith((same["same"] or "").lower()):
        piece = f"What about {same['name']}?"
    elif not written_names(piece) and (owner := _named_in(before[-1])):
        piece = question_about(piece, owner) or piece
    if not _PRONOUN.search(piece) and same is None:
        return piece
    completed = question_by_rule([Turn(Role.USER, before[-1]), Turn(Role.USER, piece)])
    if completed == piece and _OF_PEOPLE.search(piece) and (place := _named_in(before[0])):
        # What money do they use?
        return f"{piece.rstrip(' ?.!')} in {place}?"
    if completed == piece and (named := _named_in(before[0])) and not _WHAT_TIME.search(piece):
        return re.sub(r"\b(?:it|he|she|him)\b", named, piece, count=1, flags=re.IGNORECASE)
    return completed


def _named_in(question: str) -> str | None:
    """The last name in a question; its first word counts if it is no ordinary one."""
    if names := question_names(question):
        # Is Jordan in Asia or in Africa, and what is spoken there?
        return POSSESSIVE.sub("", names[0 if " or " in question else -1].text)
    words = tagged(question)
    return words.part(name, "name") if (name := re.search("(?:^D?|V)(?P<name>N+)", words.tags)) else None
