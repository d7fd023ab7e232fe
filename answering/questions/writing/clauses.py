"""Clauses that state something by themselves, so that a question can be made of them. English.

The rules prefer to leave a clause out: documents hold many more statements than questions are needed.
"""

import re
from collections.abc import Iterator
from typing import Final

from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.writing.verbs import DOES
from answering.text import word_set
from answering.text.normalisation import WEEKDAYS

FEWEST_WORDS: Final = 5
MOST_WORDS: Final = 30

WORD: Final = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
VERB: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(DOES))}|"
    r"is|are|was|were|has|had|have|will|can|does|did|became|began|won|lost|sold|sank|rose|fell|held|left|led|"
    r"made|met|took|went|wrote|built|found|ran|came|costs?|lives?|lies|owns?|holds?|showed?|shows|includes?|contains?|[a-z]{3,}ed)\b"
)
MONTH: Final = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
PRONOUNS: Final = word_set(
    """i we you he she it they this that these those here there me us him her them my our your his its their mine ours
    yours hers theirs one another such former latter someone somebody everyone everybody nobody anyone anybody who what
    when where why how which whose"""
)
_SPEAKER = word_set("i we you me us my our your mine ours yours myself ourselves")
# Who speaks, how sure he is, and what he wants are no facts about the subject.
_OPINION = word_set(
    """said says say saying reports reported rumour rumoured told tells adds added asked asks believe believes believed
    think thinks thought feel feels felt hope hopes hoped claim claims claimed reckon suggest suggests suggested may
    noted notes announced confirmed emphasized stressed warned argued stated explained testified commented tweeted
    might could should would perhaps probably possibly maybe reportedly allegedly according please click subscribe read
    share follow sign join today yesterday tomorrow tonight currently recently ago now if unless photo image copyright
    et al"""
)
# When and where a text was written, which a question does not say.
_SEASON = "(?:year|month|week|season)"
_DEICTIC = re.compile(
    rf"\b(?:this|these|here|next {_SEASON}|(?:last|earlier|later) (?:this )?{_SEASON}|(?i:{'|'.join(WEEKDAYS)}))\b"
)
# What goes on from the sentence before.
_CONTINUES = word_set(
    """however but and also although though while whereas moreover furthermore additionally meanwhile so yet still then
    thus therefore nevertheless nonetheless instead otherwise besides with among if because since unless like unlike
    such hence finally overall"""
)
_MARKUP = re.compile(
    r"[\[\]{}<>|#*_=\\@\n\t•·→…\"\u201c\u201d\u201e«»\u2014\u2015\u2212\u200b!?;]"
    r"|https?:|www\.|\.\.\.|--|\s[-\u2013]\s|:\s"
    # Two words, or two sentences, between which a space was lost.
    r"|[a-z]{4,}[A-Z][a-z]|[A-Z]{3,}[a-z]{3,}|[a-z]{2,}\.[A-Z]|\w:[A-Za-z]"
    r"|\b[A-Z][a-z]+[A-Z]\b|\b[A-Z]{2}[a-z]{5,}|\b(?:mm|cm|km|m|kg|lb|ft)\. [A-Z]"
    # A heading or a caption before the sentence: PARIS AND LYON The games, Getty/AFP A crowd.
    r"|\b[A-Z]{3,} [A-Z]{2,} [A-Z][a-z]|[a-z]/[A-Z]"
    r"|\w (?:An|As|At|For|From|He|If|In|It|On|She|The|There|They|This|We|When|Where|While|With) [a-z]"
)
_CUT_OFF = re.compile(r"(?:\.\.+|\u2026)\Z")
_PARENTHESIS = re.compile(r"\s?\([^()]*\)")
_THERE_ARE = re.compile(r"There (?:are|were) ")
# Behind these a clause with a subject of its own begins: when the mill was built in 1874.
_CONNECTIVE = re.compile(
    r"(?:(?:^|, |: )(?:[Aa]nd|[Bb]ut)"
    r"|(?:^|, |: | )(?:when|that|because|where|until|before|after|although|though|while|as)|:|,)"
    r" (?=the |[A-Z])"
)
_INTRODUCTION = re.compile(
    r"(?:In|On|At|After|Following|Since|During|By|Under|For|As of|Until|From|Of|Among)"
    r" (?!other words|addition|fact|short|response|turn|return|particular|total|all,|recent|the other|example|contrast"
    r"|the first|general)[^,]{1,60}, "
)
_COMMA = re.compile(r",(?!\d)")
_IN_DATE = re.compile(rf"{MONTH} \d{{1,2}}, \d*\Z")
# A second statement on the same subject: and never received a penny.
_JOINED = re.compile(
    r",? (?:and|but|yet) (?:never|also|is|was|are|were|has|had|then|later|so|[a-z]+er than|[a-z]{3,}ed)\b"
)
_GOES_ON = re.compile(
    rf" (?:{'|'.join(sorted(FUNCTION_WORDS))}|including|exactly|according|although|though|whereas|making|leaving"
    r"|[a-z]+(?:ing|ed|ly))\b"
)
_LIST = re.compile(r" [A-Z0-9]\S*(?: [A-Z]\S*)*(?:,| and | or )| (?:[A-Z]\S+|the)(?: [A-Z]\S+)* (?:and|or) ")


def clauses(sentence: str) -> Iterator[str]:
    """The sentence without its end mark and what stands in brackets, then the clauses in it with a subject of their
    own; of one that was cut off what stands before its last comma, and nothing of a title or one that ends otherwise.
    """
    whole = " ".join(_PARENTHESIS.sub("", sentence).split())
    if cut := _CUT_OFF.search(whole):
        # With its comma, behind which the main part of a clause cannot be.
        whole = whole[: whole.rfind(",", 0, cut.start()) + 1]
    elif not whole.endswith(".") and not _is_sentence_without_stop(whole):
        return
    whole = whole.rstrip(" .")
    yield whole
    for match in _CONNECTIVE.finditer(whole):
        rest = whole[match.end() :]
        yield rest[:1].upper() + rest[1:]


def _is_sentence_without_stop(text: str) -> bool:
    """Whether a line is written as a sentence is, as headlines are: not as titles with capitals in most words."""
    words = WORD.findall(text)
    return text[-1:].isalnum() and 2 * sum(word[0].isupper() for word in words) <= len(words)


def main_clause(clause: str, end: int) -> str | None:
    """The clause up to the end of its main part, behind character `end`; None if that is outside or cuts a list."""
    introduction = _INTRODUCTION.match(clause)
    begin = introduction.end() if introduction else 0
    main = clause[begin:end]
    # What stands between commas is said by the way, and its verb is not that of the sentence.
    if re.match(r"(?:which|who|where|when)\b", main) or (_COMMA.search(main) and not _IN_DATE.search(main)):
        return None
    joined = _JOINED.search(clause, max(begin, end))
    clause = clause[: joined.start()] if joined else clause
    comma = _COMMA.search(clause, max(begin, end))
    if comma is None:
        return clause
    head, rest = clause[: comma.start()], clause[comma.end() :]
    ends_in_name = comma.start() == end or head.split()[-1][:1].isupper()
    # Frozen, fully cooked chicken: what ends here is no end of the clause. Of Oslo, Bergen and Molde none is the only
    # one.
    if (re.match(r" [a-z]", rest) and not ends_in_name and not _GOES_ON.match(rest)) or _LIST.match(rest):
        return None
    return re.sub(r" (?:and|or|but|yet)\Z", "", head)


def is_plain(clause: str) -> bool:
    """Whether a clause states something by itself: no heading, no markup, no opinion, no quotation, and nothing that
    only what stands before it tells.

    >>> is_plain("The Outer Mole of Hallvik was built in 1874"), is_plain("It is 1,340 metres long")
    (True, False)
    """
    words = [word.casefold() for word in WORD.findall(clause)]
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS or not (clause[0].isupper() or clause[0].isdigit()):
        return False
    introduction = _INTRODUCTION.match(clause)
    subject = WORD.match(clause, introduction.end()) if introduction else None
    begins = words[0] not in PRONOUNS | _CONTINUES and (subject is None or subject[0].casefold() not in PRONOUNS)
    if not (begins or _THERE_ARE.match(clause)) or _MARKUP.search(clause) or _DEICTIC.search(clause):
        return False
    return VERB.search(clause) is not None and (_SPEAKER | _OPINION).isdisjoint(words)
