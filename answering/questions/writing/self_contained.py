"""Whether a question can be understood, and has one answer, without the document that it was written from. English.

As with clauses, the rules prefer to leave a question out.
"""

import re
from typing import Final

from answering.questions.named_text import NamedText
from answering.questions.writing.clauses import MONTH
from answering.text import word_set

# What a text speaks of as known from before, if nothing behind it says which one: the study, the company's.
_KNOWN: Final = """agency analysis article bill campaign case chain charges city clinic company competition condition
conference country county couple department district election event experiment family firm game group hearing hospital
incident industry investigation job law match measure meeting municipality notice organisation organization paper
patient period plan poll position process product program programme project race region report research review ruling
school season series show site state store study survey suspect system team test topic tournament town trial victim
village vote website year"""
# The 24th state, the only hospital, the largest city.
_NOT_THE_ONLY = r"(?!(?:\d+(?:st|nd|rd|th)|first|second|third|only|most|[a-z]+est) )"
_KNOWN_FROM_BEFORE = re.compile(
    rf"\b[Tt]he {_NOT_THE_ONLY}(?:[\w-]+ ){{0,2}}?(?:{'|'.join(_KNOWN.split())})(?:e?s)?\b"
    r"(?! [A-Z\d]| (?:in|at|by|from|with) (?:the )?[A-Z]"
    r"| (?:of|for|on|that|which|who|whose|where|between|against|called|named)\b)"
)
# The same at the end of a question: in the region. There is one world, and one sea to a coast.
_KNOWN_AT_END = re.compile(
    rf"\bthe {_NOT_THE_ONLY}(?:[a-z-]+ ){{0,2}}(?!(?:world|sun|moon|earth|sea|end|public|internet|universe"
    r"|north|south|east|west|air)\b)"
    r"[a-z-]+[?.]\Z"
)
# One of many, a study, several surveys, researchers without a name.
_ONE_OF_MANY = re.compile(
    r"\AAn? |\b(?i:an?|one|some|many|multiple|several|this|two|three) (?:[\w-]+ ){0,4}?"
    r"(?:stud(?:y|ies)|surveys?|polls?|trials?|reviews?|analys[ie]s|reports?|bills?)\b"
    r"|\b(?:poll|survey|study|sample|trial|group) of (?:\w+ )?how many"
    r"|\A(?:In which year did |When did )?(?:Researchers|Scientists|Investigators|Authors|Experts|Officials"
    r"|Authorities|Participants|Patients|Police)\b"
)
# The question answers itself: salt and sugar are how many things.
_COUNTS_ITSELF = re.compile(r"\band .* (?:are|were) how many\b")
_NAMED_YEAR = re.compile(r"\A(?:When|In which year) |\b(?:1\d{3}|20\d\d)\b")
_MONTH = re.compile(rf"\b{MONTH}\b|\b(?:Jan|Feb|Aug|Sept?|Oct|Nov|Dec)\.")
# What happens again and again has one answer only with its year.
_RECURS = re.compile(
    r"\b(?:won|wins?|defeat(?:s|ed)|beat|beats|scored|clinched|finished|placed|awarded"
    r"|met|meets|visit(?:s|ed)?|arriv(?:es|ed)|vot(?:es|ed)|returned|fell)\b"
)
# Of the moment of writing, or of what came before in the text.
_PASSING = re.compile(
    r"\b(?:following|upcoming|so far|already|newly|latest|current|remains?|on track|set to|about to|headed to|the same"
    r"|coming (?:days|weeks|months|years)|past (?:few )?(?:year|decade|day|week|month|season)s?|past how many"
    r"|(?:the|its|his|her|their) next|(?:is|are) (?:\w+ly )?[a-z]{2,}ing"
    r"|(?:in|of|at|to|for|from|during|by|with|on) (?:that|those) [a-z]+)\b"
    # Until now.
    r"|\b(?:has|have) \w+.* for (?:\w+ )?(?:how many|\d+ (?:year|month|week|day)s)\b"
)
# Who wrote the page, and whose it is.
_PAGE = re.compile(
    r"\b(?:is|was) an? (?:[\w-]+ )*?(?:reporter|writer|editor|columnist|contributor|journalist|correspondent)\b"
    r"|\b(?:(?:registered )?trade ?marks?|all rights|newsletter)\b"
)
_TITLES = word_set("mr mrs ms dr prof gov sen rep lt president king queen")


def is_self_contained(question: str, text: NamedText) -> bool:
    """Whether somebody who has not seen the text knows what is asked, and one answer settles it.

    >>> is_self_contained("Who led the study?", NamedText("Who led the study is not said."))
    False
    >>> text = NamedText("Tora Myhre was a miller. Myhre built Hallvik Mill.")
    >>> is_self_contained("In which year did Myhre build Hallvik Mill?", text)
    False
    """
    if any(
        pattern.search(question)
        for pattern in (_KNOWN_FROM_BEFORE, _KNOWN_AT_END, _ONE_OF_MANY, _COUNTS_ITSELF, _PASSING, _PAGE)
    ):
        return False
    needs_year = _MONTH.search(question) or _RECURS.search(question)
    if needs_year and _NAMED_YEAR.search(question) is None:
        return False
    return not _begins_with_short_name(question, text)


def _begins_with_short_name(question: str, text: NamedText) -> bool:
    """Whether the first name is a single word that the text introduces as the end of a longer name, as people are."""
    # Behind a word in front the first word, too, counts as a name.
    first = next(iter(NamedText(f"So {question}").names), None)
    if first is None or len(first.words) != 1:
        return False
    (word,) = first.words
    # A line break within a name parts a heading from what stands below it.
    introduced = next((name.words for name in text.names if word in name.words and "\n" not in name.text), ())
    return len(introduced) > 1 and introduced[-1] == word and introduced[0] not in _TITLES
