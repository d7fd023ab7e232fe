"""Whether a part of a sentence is a clause that asks by itself. English."""

import re

from answering.questions.names import written_names
from answering.questions.word_classes import tagged

QUESTION_WORD = "(?:who|whom|whose|what|which|when|where|why|how)"
CLAUSE = (
    rf"(?:(?:in|on|at|from|to|by|of|for|with|since|until) )?{QUESTION_WORD}\b"
    r"|(?:is|are|was|were|does|do|did|has|have|can|could|should|will|would)\b(?=.*\?)|(?:tell|give|show|inform) me\b"
)
# Is it old, are mills; not: what is cheaper and is light.
_SUBJECT = re.compile(
    r"\w+\s+(?:it|they|he|she|there|this|that|these|those|its|their|his|her|an?|any|all|some|people|you|we|i)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:is|are|was|were|does|do|did|has|have|can) (?:it|they|he|she|there)\b", re.IGNORECASE)
_CLAUSE = re.compile(CLAUSE, re.IGNORECASE)
_VERB_FIRST = re.compile(r"(?:is|are|was|were|does|do|did|has|have|can|could|should|will|would)\b", re.IGNORECASE)
_OF_A_SUBJECT = frozenset("DNS")
_PREFIX = re.compile(
    r"^(?:(?:and|but|also|please|then|(?:can|could|would) you|(?:i|we)(?:'d| would)? (?:want|need|like|love) to know)"
    rf"[, ]+)*(?:{CLAUSE})",
    re.IGNORECASE,
)
# Without a conjunction both clauses have to be whole: when the ship sank, who was aboard is one.
_WHOLE = re.compile(
    r"^(?:when|why|(?:what|how)(?: \w+){0,2}?)(?:['\u2019]s| is| are| was| were| does| do| did| has| have| can)\b",
    re.IGNORECASE,
)
_IS_WHO = re.compile(r"^(?:who|where)(?:['\u2019]s| is| are)\b", re.IGNORECASE)
# Who built the mill and who owned it asks two; the man who built the mill and who owned it is one.
_RELATIVE = re.compile(r"\w\s+(who|which|whose|where|when)\b(?![^,]*,)", re.IGNORECASE)
_ASKS_LAST = re.compile(r"\b(?:is|are|was|were) (?:who|what|when|where|which)$", re.IGNORECASE)
_ASKS_LATE = re.compile(r"\b(?:is|are|was|were|in|of|on|at) (?:who|whose|what|which|when|where)\b", re.IGNORECASE)
# I wanna know the capital of Peru.
_REQUESTS = re.compile("^[^WV]*R[^WV]*(?:D[CN]+[FP]D?[CN]*N+|N*S[CN]+)$")
MOST_KEY_WORDS = 6


def is_clause(left: str, conjunction: str, segment: str, sentence: str) -> bool:
    """Whether a segment asks by itself, and so does what stands before it."""
    if _ASKS_LAST.search(left) and _ASKS_LAST.search(segment):
        return True
    has_subject = (
        not _VERB_FIRST.match(segment) or _SUBJECT.match(segment) or tagged(segment).tags[1:2] in _OF_A_SUBJECT
    )
    ends_as_question = sentence.rstrip().endswith("?") or _PRONOUN.match(segment)
    runs_on = not conjunction.strip() and not tagged(left).tags.endswith("N")
    if runs_on or not has_subject or not _CLAUSE.match(f"{segment}?" if ends_as_question else segment):
        return False
    word = conjunction.strip(" ,").lower()
    if not word:
        return bool(_WHOLE.match(left) or _IS_WHO.match(left)) and _WHOLE.match(segment) is not None
    if len(left.split()) < 3 or word == "/":
        return False
    asks = _PREFIX.match(f"{left}?")
    if (asks and not _RELATIVE.search(left[asks.end() :])) or _REQUESTS.search(tagged(left).tags):
        return True
    is_set_off = "," in conjunction or ";" in conjunction
    is_named = len(left.split()) <= MOST_KEY_WORDS and bool(written_names(left))
    return is_set_off and (_ASKS_LATE.search(left) is not None or is_named)
