"""What something is, is said of it: eczema is a disease of the skin; atopic dermatitis (eczema). English.

A reader takes whatever stands beside it: evening primrose oil, from *Evening primrose oil for eczema*.
"""

import re
from collections.abc import Iterator

from answering.judges.quotes import sentence_at
from answering.text import without_accents

# What is eczema; what are probiotics; what is the Knesset. Not: what is missing, what is the risk.
_ASKED = re.compile(
    r"^what(?:['\u2019]s| is| are) (?:an? |(?P<article>the ))?(?P<term>"
    r"(?!(?:the|its|his|her|their|this|that|these|those|it|he|she|they|one|some|another|other|your|my|our|there"
    r"|in|on|at|of|to|for|by|from|with|against|behind|below|above|under|over|between|near|after|before|inside)\b)"
    r"(?:[\w-]+ (?!(?:of|in|for|on|at|by|to|from|with|called|known|used|made|that|which|and|or|the|an?|some|is|are|was"
    r"|about|like|not|as)\b)){0,2}[\w-]*\w(?<!ing)(?<!ed))\W*$",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:of|for|in|on|with|without|to|against|about|from|by|at|and|or)\s+(?:the |an? )?$", re.IGNORECASE
)
_SAYS = r"\b(?:is|are|was|were|means?|refers? to|describes?|stands for|denotes?|be|called|known as)\b"
# Eczema (a disease) is; eczema, also called dermatitis, is usually.
_IS = re.compile(
    r"[\"\u201d\u2019')\]]*\s*(?:\([^)]{0,120}\)|,[^,.;\n]{1,120},|\[[^\]]{0,20}\])?(?: or [\w -]{1,30})?"
    rf"\s*(?:\w+ly |also |often |still |now )?{_SAYS}[^.;\n]{{0,50}}",
    re.IGNORECASE,
)
# Eczema is treated with oil, is effective in acne.
_IN_SOMETHING = re.compile(
    r"\b(?:of|for|in|on|with|without|against|about|from|by|at|because)\s+(?:the |an? )?$", re.IGNORECASE
)
# Eczema, or atopic dermatitis; eczema (a disease); eczema: a disease.
_BESIDE = re.compile(
    r"[\"\u201d\u2019')\]]*\s*(?:\([^)]{0,60}\)\s*)?"
    r"(?:[(:\u2013\u2014\[-]+\s*(?:an? |the )?"
    r"|[,(]\s*(?:or|also|formerly|called|known as|i\.e\.|which (?:is|are)|literally|meaning)[ ,]+"
    r"(?:called |known as )?(?:an? |the )?)[\"\u201c\u2018']?",
    re.IGNORECASE,
)
# Eczema, a disease of the skin; not: eczema, acne.
_APPOSITION = r"[\"\u201d\u2019')\]]*\s*(?:\([^)]{0,60}\)\s*)?,\s*"
_ARTICLE = re.compile(rf"{_APPOSITION}(?:an?|the|one of)\s", re.IGNORECASE)
_BEFORE_ARTICLE = re.compile(rf"{_APPOSITION}(?:(?:an?|the)\s)?", re.IGNORECASE)
# Atopic dermatitis (eczema); a condition called eczema; fatigue is a symptom.
_NAMED = re.compile(
    r"\s*(?:is|are)(?: \w+ly| also)? (?:an? |the )?"
    r"|[^().;\n]{0,20}?(?:\(|\b(?:called|known as|termed|named|i\.e\.|referred to as)\b)[^().;\n]{0,40}",
    re.IGNORECASE,
)
_OF_WHAT_WAS_NAMED = re.compile(rf"\W*(?:It|They|This|These|He|She|The)\b[^.;\n]{{0,60}}?{_SAYS}")


def is_no_definition(question: str, passage: str, start: int, end: int) -> bool:
    """Whether a question asks what a term is, and the sentence of [start, end) does not say that of the term.

    Of 154 right answers to such questions (SQuAD, SQuADShifts on Wikipedia, CovidQA) it hides 29, of which some half
    are not what something is, but what counties are subdivided into, or the Windows 8 price.

    >>> told, beside = "Eczema is a disease of the skin.", "Evening primrose oil for eczema"
    >>> is_no_definition("What is eczema?", told, 10, 31), is_no_definition("What is eczema?", beside, 0, 20)
    (False, True)
    """
    asked = _ASKED.match(question.strip())
    if asked is None or (asked["article"] and not asked["term"].split()[-1][0].isupper()):
        return False
    if passage[start:end].startswith("to "):  # what it does
        return True
    sentence = sentence_at(passage, start, end)
    text, first, last = sentence.text, start - sentence.start, end - sentence.start
    places = list(_places(asked["term"], text))
    if not places:
        return _OF_WHAT_WAS_NAMED.match(text) is None
    is_name = any(map(str.isupper, asked["term"]))
    return not any(_says(text, first, last, *place, is_name=is_name) for place in places)


def _places(term: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a text has the term, or its plural; where its letters are as many without accents, whatever accents."""
    folded = without_accents(text)
    text = folded if len(folded) == len(text) else text
    one = without_accents(term)
    one = one if one.endswith(("ss", "us", "is")) else one.removesuffix("s")
    return (match.span() for match in re.finditer(rf"(?<!\w){re.escape(one)}(?:e?s)?(?!\w)", text, re.IGNORECASE))


def _says(text: str, first: int, last: int, start: int, end: int, *, is_name: bool) -> bool:
    """Whether the text says of the term at [start, end) that it is what stands at [first, last)."""
    if first <= start and end <= last:
        return not text[first:start].strip(' "\u201c')
    if end <= first:
        between = text[end:first]
        is_apposition = _BEFORE_ARTICLE.fullmatch(between) and (is_name or _ARTICLE.match(text[end:last]))
        is_said = _IS.fullmatch(between) and not (_PREPOSITION.search(text[:start]) or _IN_SOMETHING.search(between))
        return bool(is_apposition or _BESIDE.fullmatch(between) or is_said)
    between = text[last:start]
    return bool(_NAMED.fullmatch(between)) or (is_name and not between.strip(' ,"\u201c'))
