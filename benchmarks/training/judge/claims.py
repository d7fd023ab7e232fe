"""A question and its answer as a plain sentence, by rules for the plainest English questions."""

import re
from collections.abc import Callable

_BE = r"(?P<be>is|are|was|were)"
_PLACE_OR_TIME = r"(?:in|on|at|from|near|by|to|since|between|around|before|after|until|during)\b"
_NOUNS = r"(?:the|his|her|its|their) (?:(?!\w+ing\b)\S+ ?){1,8}(?<! for)(?<! of)(?<! to)(?<! in)"
_SUBJECT_VERB = (
    r"(?P<verb>(?!(?:is|are|was|were|did|does|do|can|could|will|would|has|have|had)\b)"
    r"[a-z]+(?:s|ed|ew|ote|ook|ade|on|ame|aid|old|ent|ave|elt|eld|ought|ught|ot|an|oke|ung|uilt|et|un))\b"
)


def _named(match: re.Match[str], answer: str) -> str:
    return f"{match['rest']} {match['be']} {answer}"


def _subject(match: re.Match[str], answer: str) -> str:
    return f"{answer} {match['verb']} {match['rest']}"


def _passive(match: re.Match[str], answer: str) -> str:
    return f"{match['rest']} {match['be']} {match['done']} {_placed(answer, match['word'])}"


def _active(match: re.Match[str], answer: str) -> str:
    return f"{match['rest']} {match['aux']} {match['done']} {_placed(answer, match['word'])}"


def _counted(match: re.Match[str], answer: str) -> str:
    noun = "" if match["noun"].lower() in answer.lower() else f" {match['noun']}"
    return f"there {match['be']} {answer}{noun} {match['rest']}"


def _placed(answer: str, word: str) -> str:
    if re.match(_PLACE_OR_TIME, answer, re.IGNORECASE):
        return answer
    return f"in {answer}" if word.lower() in {"when", "where", "in what", "in which", "what year"} else answer


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), rule)
    for pattern, rule in (
        (rf"(?P<word>when|where) {_BE} (?P<rest>.+?) (?P<done>\w+(?:ed|en|wn|rn|lt|nt|ld|de|ut))", _passive),
        (r"(?P<word>when|where) (?P<aux>did) (?P<rest>(?:\S+ ){0,3}\S+) (?P<done>[a-z]+)", _active),
        (rf"(?:who|what|which \w+) {_SUBJECT_VERB} (?P<rest>.+)", _subject),
        (
            rf"(?:who|what|where) {_BE} (?P<rest>{_NOUNS})",
            _named,
        ),
        (rf"(?:who|where) {_BE} (?P<rest>[A-Z].+)", _named),
        (rf"how (?:many|much) (?P<noun>\w+) {_BE} (?:there )?(?P<rest>(?:in|on|at) .+)", _counted),
    )
)


def declarative(question: str, answer: str) -> str | None:
    """`Who wrote Emma?` and `Jane Austen` make `Jane Austen wrote Emma.`; None where no rule fits."""
    asked = " ".join(question.split()).rstrip("?. ")
    for pattern, rule in _RULES:
        match = pattern.fullmatch(asked)
        if match:
            sentence = rule(match, answer.strip().rstrip("."))
            return f"{sentence[0].upper()}{sentence[1:]}."
    return None
