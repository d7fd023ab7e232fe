"""The question that a fact answers, in plain words: by turning its clause round where that is safe, else in its order.

A name of which the rules do not know what it is of is left out as a gap, which search and readers take as it is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from answering.equivalence import find_unit
from answering.questions.answer_type import content_words
from answering.questions.writing.clauses import VERB
from answering.questions.writing.facts import Fact, FactKind
from answering.questions.writing.verbs import BASES, DOES, FINITE, PAST_OF, PEOPLE, SAME_PAST
from answering.text import tokenize, word_set
from answering.text.ordinary_words import is_ordinary_word

GAP: Final = "____"

_PREPOSITION = "(?:in|on|at|by|for|with|from|to|as|during|after|before|until|since|between|over)"
_VERB_FORM = rf"(?:have|[a-z]{{3,}}ed|{'|'.join(sorted(FINITE))})\b"
_MOST_SUBJECT_WORDS = 9
# What one did, was done to one, or one will do; headlines leave out was: ousted as speaker, named man of the year.
_DEED = re.compile(
    rf" (?:(?:has|had|(?P<passive>(?:has been|had been|was))) (?:\w+ly )?"
    rf"(?P<done>{_VERB_FORM}|(?:{'|'.join(PAST_OF)})\b)(?! by\b)|will [a-z]+\b|(?:{'|'.join(sorted(DOES))})\b"
    r"|(?!(?:named|crowned|dubbed|elected|nominated|voted|called|accused|said|told|got|has|had|have|is|are|was|were)\b)"
    rf"(?P<did>{_VERB_FORM}) (?!{_PREPOSITION}\b))"
)
_DONE_TO_PEOPLE = word_set(
    """admitted appointed arrested born charged chosen convicted crowned elected fired hired named nominated ousted
    sentenced"""
)
_LEAST_SAID = 3
_REFERS = re.compile(r"\b(?:his|her|their|its|him|them|itself|himself|herself|themselves)\b")
_AUXILIARY = re.compile(r"\b(?:was|were|(?:is|are)(?= (?:expected|scheduled|due|set|planned|to)\b))\b")
_BE = "(?P<be>is|are|was|were)"
_ABOUT = "(?:(?:about|around|roughly|nearly|almost|approximately|only|just|some|as many as) )?"
_NO_SUBJECT = word_set(
    """who which that when where if although because while as than but and or after before whose whom since until there
    will can"""
)
_NO_SUBJECT_FIRST = word_set("in on at by for with from to of as under during")
_DETERMINERS = word_set("the a an all most some no both each every")
_VERB = re.compile(rf"\b{_VERB_FORM}")
_GAP_BEFORE = re.compile(
    r"\b(?:in|on|at|from|to|by|with|near|is|was|named|called|the|[a-z]{3,}ed|became|won|built|led) \Z"
)
_GAP_BEHIND = re.compile(rf"\Z| {_PREPOSITION}\b")
_PLACING = re.compile(r"\b(?:in|on|at|from|to|by|with|near) \Z")
_STATES = word_set("is are was were")
_LASTING = _STATES | word_set("has have had")
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_HEDGE = re.compile(r"\A(?:As many as|A total of|Nearly|About|Around|Only|Some|Almost|Approximately|Roughly) \Z")
_ASKING_FIRST = frozenset({"Who", "What", "When", "Where", "How", "In"})


def question_of(fact: Fact) -> str | None:
    """The question, or a statement with a gap; None where the rules know no good one."""
    fact = _without_introduction(fact)
    asked = (rule(fact) for rule in _RULES[fact.kind])
    question = next((question for question in asked if question is not None), None)
    if question is None or set(tokenize(fact.answer)) <= set(tokenize(question)):
        return None
    return re.sub(r" +(?=[?,])| (?= )| also(?= )", "", question)


def plainness(question: str) -> int:
    """The smaller, the plainer: 0 for one that begins with what is asked, 2 for a statement with a gap."""
    if GAP in question:
        return 2
    return int(question.split(maxsplit=1)[0] not in _ASKING_FIRST or " how many " in question)


def _without_introduction(fact: Fact) -> Fact:
    """The sentence without its introduction. In 1874, the mill was built: The mill was built in 1874."""
    introduction = re.fullmatch("(In|On) ", fact.before)
    if introduction is None or fact.kind not in {FactKind.YEAR, FactKind.DATE}:
        return fact
    rest = fact.after.lstrip(", ")
    clause = f"{rest[:1].upper()}{rest[1:]} {introduction[1].lower()} "
    return replace(fact, clause=clause + fact.answer, start=len(clause), end=len(clause) + len(fact.answer))


def _when(fact: Fact) -> str | None:
    """The mill was built in 1874: In which year was the mill built?"""
    elsewhere = fact.before + fact.after
    if not fact.before.endswith((" in ", " on ")) or re.match(",? (?:and|or|to) ", fact.after):
        return None
    inverted = None if re.search(r"\d{4}", elsewhere) else _inverted(fact.before[:-4].rstrip(" ,"), fact.after)
    asked = "When" if fact.kind is FactKind.DATE else "In which year"
    return inverted and f"{asked} {inverted}?"


def _where(fact: Fact) -> str | None:
    """Kallas was born in Oslo: Where was Kallas born?"""
    placed = re.fullmatch(
        r"(?P<head>.+ (?:is|was|were|are) (?:located|situated|born|buried|based|held|found)) (?:in|on|at) ", fact.before
    )
    inverted = _inverted(placed["head"], fact.after, re.compile(rf"\b{_BE}\b")) if placed and not fact.after else None
    return inverted and f"Where {inverted}?"


def _inverted(head: str, after: str, auxiliary_verb: re.Pattern[str] = _AUXILIARY) -> str | None:
    """A clause with its auxiliary verb first: the mill was built, was the mill built."""
    auxiliary = auxiliary_verb.search(head)
    if auxiliary is not None and _is_subject(head[: auxiliary.start()]):
        subject, rest = head[: auxiliary.start()], head[auxiliary.end() :]
        return f"{auxiliary[0]} {_inside(subject)} {rest}{after}" if _is_one_statement(rest) else None
    for verb in re.finditer(r"\b[a-z]+\b", head):
        if verb[0] in BASES and _is_subject(head[: verb.start()]):
            subject, rest = head[: verb.start()], head[verb.end() :]
            return f"did {_inside(subject)} {BASES[verb[0]]} {rest}{after}" if _is_one_statement(rest) else None
    return None


def _is_one_statement(rest: str) -> bool:
    """Whether no second verb is joined to the first one: was born in Oslo and died."""
    joined = re.findall(r"\b(?:and|but|then) (\w+)", rest)
    return not any(word in FINITE or word.endswith("ed") for word in joined)


def _is_subject(text: str) -> bool:
    words = text.lower().split()
    if not 1 <= len(words) <= _MOST_SUBJECT_WORDS or "," in text or words[0] in _NO_SUBJECT_FIRST:
        return False
    return _NO_SUBJECT.isdisjoint(words) and _VERB.search(text) is None


def _inside(subject: str) -> str:
    """A subject as it is written within a sentence."""
    first, _, rest = subject.strip().partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in _DETERMINERS else subject.strip()


def _doer(fact: Fact) -> str | None:
    """The mill was built by Tora Myhre: Who built the mill?"""
    passive = re.fullmatch(
        r"(?P<subject>.+?) (?:was|were) (?P<how>\w+ly )?(?P<verb>\w+) by (?:the [a-z]+ )?", fact.before
    )
    if passive is None or not _is_subject(passive["subject"]) or not _GAP_BEHIND.match(fact.after):
        return None
    verb = passive["verb"]
    past = PAST_OF.get(verb) or (verb if verb.endswith("ed") or verb in SAME_PAST else None)
    return past and f"Who {passive['how'] or ''}{past} {_inside(passive['subject'])}{fact.after}?"


def _defined(fact: Fact) -> str | None:
    """The capital of Norway is Oslo: What is the capital of Norway?"""
    defined = re.fullmatch(rf"(?P<subject>The .+ of .+|.+['\u2019]s? [a-z ]+) {_BE} ", fact.before)
    if defined is None or fact.after or not _is_subject(defined["subject"]):
        return None
    return f"{_who_or_what(defined['subject'])} {defined['be']} {_inside(defined['subject'])}?"


def _subject(fact: Fact) -> str | None:
    """Oslo is the capital of Norway: What is the capital of Norway? Tora Myhre built the mill: Who built the mill?"""
    if fact.before not in {"", "The "}:
        return None
    definition = re.match(rf" {_BE} the (?P<rest>.+)", fact.after)
    if definition:
        return f"{_who_or_what(definition['rest'].split(' of ')[0])}{fact.after}?"
    return _agent(fact)


def _agent(fact: Fact) -> str | None:
    """France will ban smoking on beaches: Who will ban smoking on beaches? What was tested, not who was."""
    is_word = " " not in fact.answer
    # Researchers and bananas do many things.
    is_general = is_word and (is_ordinary_word(fact.answer.lower()) or (fact.answer[-1] == "s" and not fact.before))
    deed = _DEED.match(fact.after)
    if is_general or deed is None or _REFERS.search(fact.after) or len(content_words(fact.after)) < _LEAST_SAID:
        return None
    is_person = deed["done"] in _DONE_TO_PEOPLE if deed["passive"] else not (is_word and deed["did"] == "became")
    return f"{'Who' if is_person else 'What'}{fact.after}?"


def _who_or_what(description: str) -> str:
    return "What" if PEOPLE.isdisjoint(re.findall("[a-z]+", description.lower())) else "Who"


def _gap(fact: Fact) -> str | None:
    """The bell is called Black Peter: The bell is called ____."""
    # Back is no name in: Polio is Back.
    is_name = _PLACING.search(fact.before) or " " in fact.answer or not is_ordinary_word(fact.answer.lower())
    fits = is_name and _GAP_BEFORE.search(fact.before) and _GAP_BEHIND.match(fact.after)
    return f"{fact.before}{GAP}{fact.after}." if fits and _is_statement(fact) else None


def _is_statement(fact: Fact) -> bool:
    """Whether a subject and its verb stand before the gap, of what is or was so, or of what was done in a year."""
    verb = _VERB.search(fact.before)
    if verb is None or not fact.before[: verb.start()].endswith(" ") or not _is_subject(fact.before[: verb.start()]):
        return False
    return _has_one_answer(fact, _STATES) and _is_one_statement(fact.before)


def _has_one_answer(fact: Fact, lasting: frozenset[str]) -> bool:
    """Whether it tells of what lasts, by its verb, or of a year: in which town a king met a duke has many answers."""
    verb = _VERB.search(fact.before)
    return verb is None or verb[0] in lasting or _YEAR.search(fact.before + fact.after) is not None


def _measure(fact: Fact) -> str | None:
    """The mole is 1,340 metres long: How long is the mole?"""
    measured = re.fullmatch(rf"(?P<subject>.+?) {_BE} {_ABOUT}", fact.before)
    said = re.fullmatch(
        r" (?:\S+ ){0,2}?\S+ (?P<measure>long|tall|high|deep|wide|thick|old)(?P<rest>| (?:at|in) .+)", fact.after
    )
    if not (measured and said and _is_subject(measured["subject"])):
        return None
    return f"How {said['measure']} {measured['be']} {_inside(measured['subject'])}{said['rest']}?"


def _amount_of(fact: Fact) -> str | None:
    """The area of Norway is 385,207 square kilometres: What is the area of Norway in square kilometres?"""
    unit = fact.after.strip()
    if fact.kind is FactKind.QUANTITY and find_unit(unit) is None:
        return None
    in_unit = f" in {unit}" if fact.kind is FactKind.QUANTITY else ""
    defined = re.fullmatch(rf"(?P<subject>The [a-z ]+ of .+|.+['\u2019]s? [a-z ]+) {_BE} {_ABOUT}", fact.before)
    if defined and (in_unit or not unit) and _is_subject(defined["subject"]):
        return f"What {defined['be']} {_inside(defined['subject'])}{in_unit}?"
    having = re.fullmatch(rf"(?P<subject>.+?) (?:has|had) an? (?P<measure>[a-z ]+) of {_ABOUT}", fact.before)
    if having and in_unit and _is_subject(having["subject"]):
        return f"What is the {having['measure']} of {_inside(having['subject'])}{in_unit}?"
    return None


def _price(fact: Fact) -> str | None:
    """The bridge cost $5 million: How much did the bridge cost?"""
    cost = re.fullmatch(rf"(?P<subject>.+?) (?P<verb>costs|cost) {_ABOUT}", fact.before)
    if cost and _is_subject(cost["subject"]):
        return f"How much {'does' if cost['verb'] == 'costs' else 'did'} {_inside(cost['subject'])} cost{fact.after}?"
    is_part = not fact.before or fact.before.endswith(("-", "and ", "to "))
    return None if is_part or not _has_one_answer(fact, _LASTING) else f"{fact.before}how much{fact.after}?"


def _share(fact: Fact) -> str | None:
    """12 percent of Norwegians ski: What percentage of Norwegians ski?"""
    before = _HEDGE.sub("", fact.before)
    return f"{before}{'what' if before else 'What'} percentage{fact.after}?" if fact.after.startswith(" of ") else None


def _number(fact: Fact) -> str | None:
    """The line has 24 stations: How many stations does the line have?"""
    there = re.fullmatch(rf"There (?P<be>are|were) {_ABOUT}", fact.before)
    if there:
        counted = re.fullmatch(r" (?P<noun>[a-z-]+(?: [a-z-]+s)?)(?P<rest> (?:in|on|at|of) .+)", fact.after)
        return counted and f"How many {counted['noun']} {there['be']} there{counted['rest']}?"
    having = re.fullmatch(rf"(?P<subject>.+?) (?P<verb>has|have|had) {_ABOUT}", fact.before)
    noun = re.match(r" (?P<noun>[^\W\d_]+(?:-\w+)*(?: [a-z]+s\b)?)(?P<rest>.*)", fact.after)
    if having and noun and _is_subject(having["subject"]):
        do = {"has": "does", "have": "do", "had": "did"}[having["verb"]]
        return f"How many {noun['noun']} {do} {_inside(having['subject'])} have{noun['rest']}?"
    before = _HEDGE.sub("", fact.before)
    # 18 women across the country; samples from 18 women infected with it: nothing is said of them.
    is_first = not before or before.lower().split()[0] in _NO_SUBJECT_FIRST
    says = VERB.search(before) or (is_first and noun and VERB.search(noun["rest"]))
    return (
        f"{before}{'how' if before else 'How'} many{fact.after}?" if says and _has_one_answer(fact, _LASTING) else None
    )


_RULES: Mapping[FactKind, tuple[Callable[[Fact], str | None], ...]] = {
    FactKind.YEAR: (_when,),
    FactKind.DATE: (_when,),
    FactKind.COUNT: (_amount_of, _number),
    FactKind.QUANTITY: (_measure, _amount_of, _number),
    FactKind.MONEY: (_amount_of, _price),
    FactKind.SHARE: (_share,),
    FactKind.NAME: (_doer, _defined, _subject, _where, _gap),
}
