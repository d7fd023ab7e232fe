"""The tools of agents. Each returns one text; `ask` also its parts as data."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Final, TypeVar
from uuid import UUID

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field, ValidationError

from answering.questions.conversation import Role, Turn
from api.chat.chat import ChatRequest
from api.chat.model_names import ModelName
from api.chat.reply import percent, step_text, web_address
from api.mcp_server.access import AgentAccess, AgentContext, tool_errors
from registry.answers.schemas import Strategy
from registry.conflict_scores import service as conflict_scores
from registry.conflict_scores.schemas import ConflictInput
from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.keys.schemas import Scope
from registry.passages.schemas import EvidenceFilter
from registry.platform.database.base import Json
from registry.platform.errors import InvalidInput, NotFound
from registry.platform.ndjson import explain
from registry.search.service import search
from registry.sources.reliabilities import SourceReliability, current_reliabilities, of_source
from registry.votes import service as imported
from registry.votes.consensus import consensus_of_query, consensus_of_votes
from registry.votes.schemas import MAX_VOTES, ConsensusInput

Checked = TypeVar("Checked", bound=BaseModel)

RESULTS = 10
MAX_SOURCES = 50
# Enough for every article; a longer text would fill the context of a model.
MAX_TEXT = 100_000
_EVIDENCE: Final = {"__all__": {"source", "reliability", "title", "quote", "document_id"}}
_SIDES: Final = {"supporting": _EVIDENCE, "contradicting": _EVIDENCE, "reporting": _EVIDENCE}
# What is told of a conflict score.
SCORE: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("cs_c", "cs_r", "notes"), True),
    "claims": {"__all__": {"text": True, "conflicting": True, **_SIDES}},
}

CorpusName = Annotated[str | None, Field(description="Name of the corpus; by default that of the API key.")]
SourceNames = Annotated[
    list[str] | None, Field(description="Only these sources, each by its name or id; by default all.")
]
PublishedFrom = Annotated[
    str | None, Field(description="Only documents published at this time or later: a date, or a datetime of RFC 3339.")
]
PublishedBefore = Annotated[str | None, Field(description="Only documents published before this time, given likewise.")]


class Tools:
    """The tools of one server."""

    def __init__(self, access: AgentAccess) -> None:
        self._access = access

    @tool_errors
    async def ask(  # noqa: PLR0913, PLR0917  (each is an argument of the tool)
        self,
        context: AgentContext,
        question: Annotated[str, Field(description="The question, complete in itself.")],
        corpus: CorpusName = None,
        strategy: Annotated[
            Strategy, Field(description="How the answer is made; `wmv` is the weighted vote of the sources.")
        ] = Strategy.WMV,
        sources: SourceNames = None,
        published_from: PublishedFrom = None,
        published_before: PublishedBefore = None,
        keep_as_query: Annotated[bool, Field(description="Whether the question may become a query.")] = True,
    ) -> CallToolResult:
        """Answer a question from the sources that deserve it. Says how sure the answer is, which sources say so, each
        with its reliability, a verbatim quote and a link, and which sources say otherwise."""
        asked, principal = await self._access.corpus(context, corpus, Scope.ASK)
        request = ChatRequest(
            runtime=self._access.runtime,
            corpus=asked,
            model=ModelName(asked.name, strategy),
            system="",
            turns=[Turn(Role.USER, question)],
            asker=principal.asker,
            field="question",
            restriction=_restriction(sources, published_from, published_before),
            keep_as_query=keep_as_query,
        )
        request.check()
        steps = 0

        async def report(kind: str, data: Json) -> None:
            nonlocal steps
            if text := step_text(kind, data):
                steps += 1
                await context.report_progress(steps, message=text)

        reply = await request.answer(report)
        if reply.result is None:
            return CallToolResult(content=[TextContent(text=reply.text)])
        self._access.count_answer(reply.result)
        parts = {"outcome", "no_answer", "parts", "answers", "confidence", "calibrated_confidence", "margin", "dissent"}
        parts |= {"citations", "dissent_citations", "notes"}
        data = {"answer_id": str(reply.answer_id), **reply.result.model_dump(mode="json", include=parts)}
        return CallToolResult(content=[TextContent(text=reply.text)], structured_content=data)

    @tool_errors
    async def search(
        self,
        context: AgentContext,
        query: Annotated[str, Field(description="Text to search for, in the words of the documents.")],
        sources: SourceNames = None,
        published_from: PublishedFrom = None,
        published_before: PublishedBefore = None,
    ) -> str:
        """Find documents of all sources, those that are relevant and reliable first. Returns ids for `fetch`."""
        corpus, principal = await self._access.corpus(context, None, Scope.READ, Scope.ASK)
        if not query.strip():
            raise InvalidInput("The query is empty.", field="query")
        restriction = _restriction(sources, published_from, published_before)
        hits = await search(
            self._access.runtime, corpus, query, limit=3 * RESULTS, restriction=restriction, viewer=principal.viewer
        )
        results: dict[UUID, dict[str, str]] = {}
        for hit in hits:
            document_id = hit.passage.document_id
            title = f"{hit.passage.title or hit.passage.external_id} ({_named(hit.source)})"
            url = web_address(hit.url) or document_uri(corpus, document_id)
            results.setdefault(document_id, {"id": str(document_id), "title": title, "url": url})
        return _json({"results": list(results.values())[:RESULTS]})

    @tool_errors
    async def fetch(
        self,
        context: AgentContext,
        id: Annotated[str, Field(description="Id of a document, from `search`.")],  # noqa: A002  (as clients send it)
    ) -> str:
        """Read a document whole, with its source and the reliability of that."""
        return await document_text(self._access, context, None, id)

    @tool_errors
    async def sources(self, context: AgentContext, corpus: CorpusName = None) -> str:
        """List the sources of the corpus with their reliability, its 90 % interval, and what that rests on; the most
        reliable first."""
        async with self._access.begin(context, corpus, Scope.READ, Scope.ASK) as (session, listed_of, _):
            current = await current_reliabilities(session, listed_of)
        ranked = sorted(current.sources, key=lambda source: (-(source.reliability or 0.0), source.name))
        listed = [source_view(source, current.prior) for source in ranked[:MAX_SOURCES]]
        change = self._access.runtime.reader_change(current.run.reader if current.run else None)
        return _json({"sources": listed, "total": len(ranked)} | ({"notes": [change]} if change else {}))

    @tool_errors
    async def consensus(
        self,
        context: AgentContext,
        query: Annotated[str | None, Field(description="A query with votes, by its id; without it send votes.")] = None,
        votes: Annotated[
            dict[str, str | list[str]] | None,
            Field(description="Answers of known sources to one query, or lists of them, by source."),
        ] = None,
        corpus: CorpusName = None,
    ) -> str:
        """Say what the votes on a query agree on, or votes that you send: the answer, how sure it is, and each voter
        with its reliability and weight. Sent votes are not stored."""
        if (query is None) == (votes is None):
            raise InvalidInput("Give a query or votes, and not both.", field="query")
        async with self._access.begin(context, corpus, Scope.READ, Scope.ASK) as (session, counted_in, principal):
            if query is not None:
                found = await consensus_of_query(session, counted_in, query, principal.viewer)
            else:
                sent = [{"source": source, "answer": answer} for source, answer in (votes or {}).items()]
                found = await consensus_of_votes(session, counted_in, _checked(ConsensusInput, votes=sent).votes)
        return _json(found.model_dump(mode="json", exclude_none=True))

    @tool_errors
    async def import_votes(
        self,
        context: AgentContext,
        votes: Annotated[
            list[Json],
            Field(
                min_length=1,
                max_length=MAX_VOTES,
                description="Each with `source`, `query` and `answer`; `at`, `confidence`, `topic` and `external_id` "
                "if known.",
            ),
        ],
        corpus: CorpusName = None,
    ) -> str:
        """Store answers of sources to queries, by which the next estimation rates these sources. Makes sources and
        queries that are unknown, and replaces what a source said to the same query before."""
        into, principal = await self._access.corpus(context, corpus, Scope.INGEST)

        async def lines() -> AsyncIterator[bytes]:
            for vote in votes:
                yield json.dumps(vote).encode()

        taken = imported.import_votes(self._access.runtime, into, lines(), key_id=principal.key_id)
        results = [result async for result in taken]
        refused = [{"vote": result.line, "error": result.error} for result in results if result.error is not None]
        return _json({"counts": Counter(str(result.status) for result in results), "rejected": refused})

    @tool_errors
    async def conflict(
        self,
        context: AgentContext,
        response: Annotated[str, Field(min_length=1, max_length=20_000, description="The text to hold up.")],
        question: Annotated[str | None, Field(description="What it answers.")] = None,
        corpus: CorpusName = None,
    ) -> str:
        """Hold a text against the documents of the corpus: which of its claims they support, which they dispute, who
        says what. Use it on a draft before it is given as settled."""
        held_against, principal = await self._access.corpus(context, corpus, Scope.ASK)
        scoring = _checked(ConflictInput, response=response, question=question)
        result = await conflict_scores.score(self._access.runtime, held_against, scoring, asker=principal.asker)
        return _json(result.score.model_dump(mode="json", include=SCORE))


def parsed_id(kind: str, text: str) -> UUID:
    """The id; raises `NotFound` if it is none."""
    try:
        return UUID(text)
    except ValueError as error:
        raise NotFound(kind, text) from error


def document_uri(corpus: Corpus, document_id: UUID) -> str:
    """The address of a document among the resources of the server."""
    return f"credence://{corpus.name}/documents/{document_id}"


async def document_text(access: AgentAccess, context: AgentContext, name: str | None, reference: str) -> str:
    """A document as research clients want it: `id`, `title`, `text`, `url`, `metadata`."""
    async with access.begin(context, name, Scope.READ, Scope.ASK) as (session, corpus, principal):
        document, source = await documents.find(session, corpus, parsed_id("document", reference), principal.viewer)
        reliability = (await of_source(session, corpus, source.id)).sources[0]
    url = web_address(document.url) or web_address(source.url) or document_uri(corpus, document.id)
    view = {
        "id": str(document.id),
        "title": document.title or document.external_id,
        "text": document.content[:MAX_TEXT],
        "url": url,
        "metadata": {
            "source": source.name,
            "source_id": str(source.id),
            "reliability": reliability.reliability,
            "published_at": document.published_at.isoformat() if document.published_at else None,
            "truncated": len(document.content) > MAX_TEXT,
        },
    }
    return _json(view)


def source_view(source: SourceReliability, prior: float) -> Json:
    """A source, its reliability, and why it is so."""
    return {
        "id": str(source.source_id),
        "name": source.name,
        "reliability": source.reliability,
        "interval": None if source.lower is None or source.upper is None else [source.lower, source.upper],
        "why": _why(source, prior),
    }


def _restriction(sources: list[str] | None, published_from: str | None, published_before: str | None) -> EvidenceFilter:
    return _checked(EvidenceFilter, sources=sources, published_from=published_from, published_before=published_before)


def _checked(model: type[Checked], **values: object) -> Checked:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InvalidInput(explain(error)) from error


def _why(source: SourceReliability, prior: float) -> str:
    if source.override is not None:
        return f"Set by an operator: {source.override.reason}"
    if source.reliability is None:
        return f"No votes yet: it counts as {percent(prior)}, the mean of what is known."
    reasons = [f"Estimated from {source.vote_count} votes and whom they agree with."]
    if source.copy_group is not None:
        reasons.append("It is one of a group of sources that republish each other, which counts once.")
    if source.turned_at is not None:
        reasons.append(f"It changed on {source.turned_at:%Y-%m-%d}; this is its reliability since.")
    return " ".join(reasons)


def _named(source: SourceReliability) -> str:
    return source.name if source.reliability is None else f"{source.name}, reliability {percent(source.reliability)}"


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
