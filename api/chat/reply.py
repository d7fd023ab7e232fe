"""An answer as prose in Markdown with links, and its steps, for a person who reads it in a chat."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote, urlsplit
from uuid import UUID

from answering.debates.schema import ReplyStatus
from answering.enums import Outcome
from api.text import clean
from registry.answers.result_schemas import AnsweredPart, AnswerResult, Citation, Decider, Dissent, SelectedSource
from registry.documents import store as documents
from registry.evaluations.schemas import Basis
from registry.platform.database.base import AsyncSession, Json
from registry.sources import store as sources

# Chat front ends take `\[` for mathematics and search for tags before they read Markdown: these become references.
_REFERENCES = {"[": "&#91;", "]": "&#93;", "<": "&lt;", ">": "&gt;"}
_SPECIAL = re.compile(r"[\[\]<>\\`*_~$#{}!]|&(?=#|\w+;)")
# Many front ends make links of bare addresses; an invisible character (word joiner) in them prevents that.
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=mailto)(?=:)|(?=@)", re.IGNORECASE)
_JOINER = "\u2060"
_URL_CHARACTERS = "%/:?#@$&'*+,;=~-._"


def escape(text: str) -> str:
    """The text on one line, such that Markdown shows it and makes nothing of it.

    >>> escape("![x](https://evil.example) *now*")
    '\\\\!&#91;x&#93;(https:\\u2060//evil.example) \\\\*now\\\\*'
    """
    escaped = _SPECIAL.sub(_escaped, " ".join(clean(text).split()))
    return _ADDRESS.sub(_JOINER, escaped)


def web_address(url: str | None) -> str | None:
    """The address as the target of a Markdown link; None if it is none or not of http or https.

    >>> web_address("https://example.org/a (b)")
    'https://example.org/a%20%28b%29'
    >>> web_address("javascript:alert(1)")
    """
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return None
    return quote(parts.geturl(), safe=_URL_CHARACTERS)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return "&amp;" if character == "&" else _REFERENCES.get(character, f"\\{character}")


MAX_SOURCES = 6


@dataclass(frozen=True, slots=True)
class Link:
    """A link in the text: the characters from `start` to `end` (code points)."""

    start: int
    end: int
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim quote of a source that the answer rests on."""

    citation: Citation
    source: str
    reliability: float | None
    url: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply that a chat shows: text, links, and the quotes behind it; without a result it needed no source."""

    text: str
    links: tuple[Link, ...] = ()
    quotes: tuple[Quote, ...] = ()
    answer_id: UUID | None = None
    result: AnswerResult | None = None


@dataclass(frozen=True, slots=True)
class Addresses:
    """Web addresses of documents and sources, by id; only those that can be linked."""

    documents: Mapping[UUID, str] = field(default_factory=dict)
    sources: Mapping[UUID, str] = field(default_factory=dict)

    def of(self, citation: Citation) -> str | None:
        """The address of the document, else of its source."""
        return self.documents.get(citation.document_id) or self.sources.get(citation.source_id)


async def addresses_of(session: AsyncSession, result: AnswerResult) -> Addresses:
    """The addresses of everything that the reply names."""
    document_ids = {citation.document_id for citation in (*result.citations, *result.dissent_citations)}
    source_ids = {source.source_id for source in result.selected_sources}
    return Addresses(
        _linkable(await documents.addresses(session, document_ids)),
        _linkable(await sources.addresses(session, source_ids)),
    )


def write_reply(result: AnswerResult, addresses: Addresses, *, answer_id: UUID, asked: str, understood: str) -> Reply:
    """The prose: the answer, how sure it is, who says so and where, who says otherwise, and what to know."""
    writer = _Writer(result, addresses)
    if understood != asked:
        writer.write(f"*Understood as: {escape(understood)}*\n\n")
    writer.write_answer()
    writer.write_sources()
    for note in result.notes:
        writer.write(f"\n*Note: {escape(note)}*\n")
    return Reply(writer.text.rstrip("\n"), tuple(writer.links), tuple(_quotes(result, addresses)), answer_id, result)


def percent(share: float) -> str:
    """A share for a person, who would take 100% for certainty.

    >>> percent(0.874), percent(0.9999)
    ('87%', 'over 99%')
    """
    return "over 99%" if share > 0.995 else "under 1%" if share < 0.005 else f"{share:.0%}"


def date_of(moment: datetime) -> str:
    """The day, e.g. `4 May 2021`."""
    return f"{moment.day} {moment:%B %Y}"


class _Writer:
    """Appends text and remembers where its links are."""

    def __init__(self, result: AnswerResult, addresses: Addresses) -> None:
        self.text = ""
        self.links: list[Link] = []
        self._result = result
        self._addresses = addresses
        self._citations: dict[UUID, Citation] = {}
        for citation in (*result.citations, *result.dissent_citations):
            self._citations.setdefault(citation.source_id, citation)

    def write(self, text: str) -> None:
        self.text += text

    def write_link(self, title: str, url: str | None) -> None:
        """The title, linked if there is an address."""
        start = len(self.text)
        self.write(f"[{escape(title)}]({url})" if url else escape(title))
        if url:
            self.links.append(Link(start, len(self.text), url, title))

    def write_answer(self) -> None:
        result = self._result
        if result.parts:
            self._write_parts()
            return
        answers = [f"**{escape(answer)}**" for answer in result.answers]
        if result.no_answer is not None or not answers:
            self.write(f"{_no_answer(result)}\n")
            return
        if result.outcome is Outcome.CONFLICTING:
            self.write(f"The sources conflict: {' or '.join(answers)}.\n")
        else:
            self.write(f"{'Perhaps ' if result.is_doubtful else ''}{', '.join(answers)}\n")
        dated = f", as of {date_of(result.as_of)}" if result.as_of else ""
        self.write(f"\nHow sure: {_sure(result)}{dated}. {self._support()}{self._decision()}\n")

    def _write_parts(self) -> None:
        """Each question in the question with its answer."""
        for part in self._result.parts:
            answers = " or ".join(f"**{escape(answer)}**" for answer in part.answers)
            known = f"{answers} (how sure: {_sure(part)})" if answers else _no_answer(part)
            self.write(f"- {escape(part.question)} {known}\n")

    def write_sources(self) -> None:
        result = self._result
        if result.parts:
            return
        several = len(result.answers) > 1
        supporters = [source for source in result.selected_sources if source.supports]
        self._write_list("Who says so", sorted(supporters, key=_reliability, reverse=True), answers=several)
        supporting = {source.source_id for source in supporters}
        others = [dissent for dissent in result.dissent if dissent.source_id not in supporting]
        heading = "Who says otherwise" if result.answers else "Who answers"
        self._write_list(heading, sorted(others, key=_reliability, reverse=True), answers=True)

    def _write_list(self, heading: str, voters: list[SelectedSource] | list[Dissent], *, answers: bool) -> None:
        if not voters:
            return
        self.write(f"\n{heading}:\n\n")
        for voter in voters[:MAX_SOURCES]:
            self._write_voter(voter, answer=answers)
        if len(voters) > MAX_SOURCES:
            self.write(f"- and {len(voters) - MAX_SOURCES} more\n")

    def _write_voter(self, voter: SelectedSource | Dissent, *, answer: bool) -> None:
        self.write("- ")
        self.write_link(voter.name, self._addresses.sources.get(voter.source_id))
        if voter.reliability is not None:
            overall, on_topic = voter.overall_reliability, percent(voter.reliability)
            known = on_topic if overall is None else f"{percent(overall)} overall, {on_topic} on this topic"
            self.write(f" (reliability {known})")
        if answer:
            self.write(f" says **{escape(voter.answer)}**")
        if citation := self._citations.get(voter.source_id):
            self.write(f": “{escape(citation.quote)}” (")
            self.write_link(citation.title or citation.document_external_id, self._addresses.of(citation))
            self.write(f", {date_of(citation.published_at)})" if citation.published_at else ")")
        self.write("\n")

    def _support(self) -> str:
        """The number of sources that give the answer, and of independent ones among them."""
        votes = len(self._result.selected_sources)
        supporters = sum(source.supports for source in self._result.selected_sources)
        if not votes:
            return ""
        noun = "source that answers says" if votes == 1 else "sources that answer say"
        text = f"{supporters} of {votes} {noun} so"
        winner = self._result.tally[0] if self._result.tally else None
        if winner is None or not winner.independent_votes < winner.votes == supporters:
            return f"{text}."
        return f"{text}; {winner.independent_votes} of these are independent."

    def _decision(self) -> str:
        if self._result.decided_by is not Decider.DEBATE:
            return ""
        vote = self._result.vote
        alone = " or ".join(map(escape, vote.answers)) if vote and vote.answers else "no answer"
        return f" A language model decided after a debate over their documents; the vote alone gives {alone}."


def _no_answer(answer: AnswerResult | AnsweredPart) -> str:
    return f"**No answer.** {escape(answer.no_answer.text if answer.no_answer else 'The sources give none.')}"


def _sure(answer: AnswerResult | AnsweredPart) -> str:
    """The calibrated confidence where right answers tell it, else that of the estimate, and what says so."""
    calibrated = answer.calibrated_confidence
    if calibrated is None:
        return percent(answer.confidence)
    if calibrated.share is not None:
        return f"{percent(calibrated.share)}, as {calibrated.right} of {calibrated.of} such answers were right"
    if calibrated.basis is Basis.ESTIMATE:
        return f"{percent(answer.confidence)} by the estimate alone"
    return "too little is known about its sources to say"


def _reliability(voter: SelectedSource | Dissent) -> float:
    return -1.0 if voter.reliability is None else voter.reliability


def _linkable(addresses: Mapping[UUID, str]) -> dict[UUID, str]:
    return {row_id: url for row_id, address in addresses.items() if (url := web_address(address))}


def _quotes(result: AnswerResult, addresses: Addresses) -> Iterable[Quote]:
    by_id = {source.source_id: source for source in result.selected_sources}
    for citation in result.citations:
        source = by_id.get(citation.source_id)
        name, reliability = (source.name, source.reliability) if source else ("", None)
        yield Quote(citation, name, reliability, addresses.of(citation))


def step_text(kind: str, data: Json) -> str | None:
    """The step in words, turn by turn in a debate; None for what there is nothing to say of."""
    if kind == "debate_began":
        return f"Debate ({data['strategy']}) over {data['documents']} documents"
    if kind == "turn_ended":
        text = data["said"] if data["status"] == ReplyStatus.ANSWERED else data["status"].replace("_", " ")
        return f"Round {data['round']}, {data['agent']}: {text}"
    return None
