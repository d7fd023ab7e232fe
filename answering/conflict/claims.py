"""Claims, the statements of a response, and what splits a response into them.

By rules into sentences, and clauses where it is safe to separate them; no model is called and no word is changed. A
sentence that hedges or contrasts stays whole: ConflictScore counts a document for such a claim if it supports any part
of it, so that a response that admits a conflict scores better than one that does not. Or by a language model, which
separates and words claims better; those that it invents are left out.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import regex
from pydantic import BaseModel, ConfigDict, ValidationError

from answering.alignment import rouge1_precision
from answering.debates.parsing.replies import unwrapped
from answering.judges import claim_of
from answering.judges.quotes import find_quote
from answering.models.chat import CLOSE, OPEN, Chat, escape_markup, single_line
from answering.models.usage import Usage
from answering.prompts import load_prompt
from answering.text import squad_normalise, tokenize
from answering.text.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement, worded so that it can be judged alone.

    `start` and `end` are the characters of the response that state it, None where its words are not consecutive there.

    >>> Claim("The bridge was opened in 1911.", start=0, end=30).text
    'The bridge was opened in 1911.'
    """

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The claims of a response in their order, the cost of splitting it, and what went wrong, if something did."""

    claims: tuple[Claim, ...]
    usage: Usage = field(default_factory=Usage)
    note: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """The note, if there is one."""
        return (self.note,) if self.note else ()


class Splitter(Protocol):
    """Splits a response into claims."""

    @property
    def name(self) -> str:
        """A stable identity; differs where any setting changes the claims."""
        ...

    async def split(self, response: str, question: str | None) -> SplitResult:
        """The claims of the response, each once; none where it states nothing. Raises ModelError."""
        ...


def distinct(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Each claim once, however it is capitalised and punctuated; those without a word are left out."""
    by_words: dict[str, Claim] = {}
    for claim in claims:
        by_words.setdefault(squad_normalise(claim.text), claim)
    return tuple(claim for words, claim in by_words.items() if words)


# So few words say nothing without a question that they answer.
MIN_WORDS = 3
# Text of so many words is no sentence, unless it ends as one or has a verb.
MAX_FRAGMENT_WORDS = 8
# The verb of a clause follows a subject of at most so many words.
MAX_SUBJECT_WORDS = 6
_LINE = regex.compile(r"[^\n]++")
_HEADING = regex.compile(r"\s*+#{1,6}\s")
_MARKER = regex.compile(r"\s*+(?:(?:[-*\u2022\u2013]|\d{1,3}[.)])\s++)?+")
_SOFT_BREAK = regex.compile(r"(?<![.!?:;\n])\n(?=\p{Ll})")
_SENTENCE_END = regex.compile(r"[.!?\u2026\u3002][\p{Pf}\p{Pe}\"']?$")
_MARKUP = regex.compile(r"\*\*|__|`|\s?\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]")
_CLAUSE_BREAK = regex.compile(r";\s++(?:and\s++)?|,\s++and\s++")
# What these refer to, or how far they reach, is unknown without grammar: their sentence is not split.
_DEPENDENT = regex.compile(
    r"""\b(?:if|unless|whether|that|because|although|though|while|whereas|when|since|who|which|whose|according|says?|said
    |reports?|reported|claims?|claimed|states?|stated|some|others?|may|might|could|perhaps|possibly|probably|not|neither
    |nor|either|or|but|however|yet|disagree[sd]?|sources?|contested|disputed)\b""",
    regex.IGNORECASE | regex.VERBOSE,
)
_VERB = regex.compile(
    r"""(?:is|was|are|were|has|had|have|will|would|can|must|does|did|do|became|began|bore|built|came|costs?|died|drew|flew
    |gave|got|grew|held|kept|knew|lay|led|left|lies|lives|lost|made|makes|means|met|paid|ran|rose|sang|saw|sold|sent|shows?
    |stands|stood|takes|took|taught|told|went|won|writes|wrote|\p{L}{2,}ed)""",
    regex.IGNORECASE | regex.VERBOSE,
)
_ARTICLES = frozenset({"the", "a", "an"})


class RuleSplitter:
    """Splits by rules, without a model.

    >>> import asyncio
    >>> result = asyncio.run(RuleSplitter().split("The bridge was opened in 1911. It is 42 metres long.", None))
    >>> len(result.claims)
    2
    """

    name = "rules:1"

    async def split(self, response: str, question: str | None) -> SplitResult:
        return SplitResult(rule_claims(response, question))


def rule_claims(response: str, question: str | None = None) -> tuple[Claim, ...]:
    """The claims of a response with their places in it; questions, headings and announcements are none.

    >>> [claim.text for claim in rule_claims("The bridge was opened in 1911; it was paid by the county.")]
    ['The bridge was opened in 1911; it was paid by the county.']
    """
    # One character replaces one, so that places stay the same.
    flowing = _SOFT_BREAK.sub(" ", response)
    counted = [(start, end, len(tokenize(flowing[start:end]))) for start, end in _statements(flowing)]
    statements = [statement for statement in counted if statement[-1]]
    alone = len(statements) == 1
    return distinct(
        Claim(_worded(flowing[start:end], question, alone=alone), start, end)
        for start, end, words in statements
        if words >= MIN_WORDS or question or alone
    )


def _statements(text: str) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text):
        if _HEADING.match(line.group()):
            continue
        marker = _MARKER.match(line.group())
        line_start = line.start() + (marker.end() if marker else 0)
        for start, end in sentence_spans(text[line_start : line.end()]):
            finish = line_start + start + len(text[line_start + start : line_start + end].rstrip())
            if text[finish - 1] not in "?:":
                yield from _clauses(text, line_start + start, finish)


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The clauses of the sentence `text[start:end]` if each names its own subject; otherwise the sentence."""
    sentence = [(start, end)]
    if _DEPENDENT.search(text, start, end):
        return sentence
    breaks = [match.span() for match in _CLAUSE_BREAK.finditer(text, start, end)]
    borders = [start, *(border for span in breaks for border in span), end]
    clauses = list(zip(borders[::2], borders[1::2], strict=True))
    return clauses if all(_is_clause(text[begin:finish]) for begin, finish in clauses) else sentence


def _is_clause(text: str) -> bool:
    """Whether it has a subject of its own, a verb, something after that, and no comma."""
    first = (text.split(maxsplit=1) or [""])[0]
    return "," not in text and (first.lower() in _ARTICLES or first[:1].isupper()) and _has_verb(text)


def _has_verb(text: str) -> bool:
    """Whether a known verb stands after a subject and before something else."""
    words = text.split()
    return any(_VERB.fullmatch(word) for word in words[1 : min(1 + MAX_SUBJECT_WORDS, len(words) - 1)])


def _worded(statement: str, question: str | None, *, alone: bool) -> str:
    """The statement as a claim, combined with the question if it answers that.

    `alone` says that the response has no other statement, so that this one is the answer to the question.
    """
    text = " ".join(_MARKUP.sub("", statement).split())
    if question and (alone or _is_fragment(text)):
        return claim_of(question, text)
    return text if _SENTENCE_END.search(text) else f"{text}."


def _is_fragment(text: str) -> bool:
    """Whether the text is an answer of few words, which states nothing without its question."""
    words = len(tokenize(text))
    return words <= 2 or (words <= MAX_FRAGMENT_WORDS and not _SENTENCE_END.search(text) and not _has_verb(text))


REMINDER = "Your last reply could not be read. Reply with the one JSON object and nothing else."
UNREADABLE = "The model's claims could not be read, twice: the response was split by rules."
INVENTED = "The model made {count} of {total} claims up, which were left out."
# The share of a claim's words that must be in the response or the question; the others join them to a sentence.
MIN_PRECISION = 0.7
MAX_CLAIM_CHARACTERS = 2_000


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    claims: list[str]


class ModelSplitter:
    """One completion for each response; after two replies that cannot be read, the rules split it.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> chat = ScriptedChat('{"claims": ["The bridge was opened in 1911.", "Bears like honey."]}')
    >>> result = asyncio.run(ModelSplitter(chat).split("The bridge was opened in 1911.", None))
    >>> [claim.text for claim in result.claims], result.note
    (['The bridge was opened in 1911.'], 'The model made 1 of 2 claims up, which were left out.')
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load_prompt("claims")
        settings_hash = hashlib.sha256(f"{self._prompt.hash}:{MIN_PRECISION}".encode()).hexdigest()
        self.name = f"{chat.name}:{self._prompt.name}:{settings_hash[:12]}"

    async def split(self, response: str, question: str | None) -> SplitResult:
        if not response.strip():
            return SplitResult(())
        message = _message(response, question)
        first = await self._chat.complete(self._prompt.text, message)
        texts, usage = parse_claims(first.text), first.usage
        if texts is None:
            second = await self._chat.complete(self._prompt.text, f"{message}\n\n{REMINDER}")
            texts, usage = parse_claims(second.text), usage + second.usage
        if texts is None:
            return SplitResult(rule_claims(response, question), usage, UNREADABLE)
        claims, note = _without_invented(texts, response, question)
        return SplitResult(claims, usage, note)


def parse_claims(reply: str) -> list[str] | None:
    """The claims of a reply that is the JSON object asked for, thoughts and code fences aside; None for any other."""
    try:
        claims = _Reply.model_validate_json(unwrapped(reply)).claims
    except ValidationError:
        return None
    cleaned = [" ".join(claim.split()) for claim in claims]
    return cleaned if all(0 < len(claim) <= MAX_CLAIM_CHARACTERS for claim in cleaned) else None


def _message(response: str, question: str | None) -> str:
    question_lines = [f"Question: {single_line(question)}"] if question else []
    return "\n\n".join([*question_lines, f"{OPEN}\n{escape_markup(response)}\n{CLOSE}"])


def _without_invented(
    texts: Sequence[str], response: str, question: str | None
) -> tuple[tuple[Claim, ...], str | None]:
    kept = [text for text in texts if rouge1_precision(text, [response, question or ""]) >= MIN_PRECISION]
    note = INVENTED.format(count=len(texts) - len(kept), total=len(texts)) if len(kept) < len(texts) else None
    return distinct(_placed(text, response) for text in kept), note


def _placed(text: str, response: str) -> Claim:
    quote = find_quote(response, text.rstrip("."))
    return Claim(text, quote.start, quote.end) if quote else Claim(text)
