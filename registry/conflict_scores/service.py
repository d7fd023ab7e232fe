"""The ConflictScore of any response, against documents that are sent or found. No transaction is open meanwhile."""

import asyncio
import time
from dataclasses import asdict

from answering.conflict import (
    ClaimDocuments,
    ConflictScore,
    ModelSplitter,
    RuleSplitter,
    regenerate,
    score_claims,
)
from answering.conflict.claims import SplitResult
from answering.conflict.scoring import pairs_to_judge
from answering.enums import ResponseOutcome
from registry.conflict_scores.documents import ScoringDocuments, given_documents, search_documents
from registry.conflict_scores.schemas import (
    AttemptView,
    ConflictAnswer,
    ConflictInput,
    ConflictScoreView,
    RegeneratedView,
    SplitterKind,
)
from registry.conflict_scores.scoring import conflict_view
from registry.corpora.model import Corpus
from registry.keys.quotas import open_account
from registry.platform.errors import InvalidInput, TooSlow
from registry.runtime import Runtime
from registry.viewers.model import UNRESTRICTED, Asker, Viewer

MAX_CLAIMS = 100
# What the compact judge does in about a minute.
MAX_PAIRS = 3_000
LEFT_OUT = "These sources are not reliable enough for their votes to count, and are left out: {names}."


async def score(
    runtime: Runtime,
    corpus: Corpus,
    request: ConflictInput,
    *,
    asker: Asker = UNRESTRICTED,
) -> ConflictAnswer:
    """Score a response. Raises `InvalidInput` where it is too much at once, `TooSlow`, and what judges raise.

    Calls of language models are charged to the API key if its spending is limited.
    """
    runtime = runtime.charged_to(await open_account(runtime.database, asker.key_id))
    seconds = runtime.settings.answer_timeout_seconds
    try:
        async with asyncio.timeout(seconds):
            return await _Scoring(runtime, corpus, request, asker.viewer).run()
    except TimeoutError as error:
        raise TooSlow(
            f"No score within {seconds:g} seconds (CREDENCE_ANSWER_TIMEOUT_SECONDS). Send fewer documents or a shorter "
            "response, or have the compact judge judge."
        ) from error


class _Scoring:
    def __init__(self, runtime: Runtime, corpus: Corpus, request: ConflictInput, viewer: Viewer) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._request = request
        self._viewer = viewer
        self._judge = runtime.judges.of(request.parameters.judge)
        by_rules = request.parameters.claims is SplitterKind.RULES
        self._splitter = RuleSplitter() if by_rules else ModelSplitter(runtime.require_chat())
        if request.regenerate:
            runtime.require_chat()

    async def run(self) -> ConflictAnswer:
        """Split, find documents, judge; then rewrite, and score the rewritten response against the same documents."""
        started = time.perf_counter()
        split = await self._split(self._request.response)
        documents = await self._documents(split)
        score = await self._judged(split, documents)
        view = self._view(score, documents, started)
        return ConflictAnswer(
            score=view, regenerated=await self._regenerated(score, documents) if self._request.regenerate else None
        )

    async def _split(self, response: str) -> SplitResult:
        split = await self._splitter.split(response, self._request.question)
        if len(split.claims) > MAX_CLAIMS:
            raise InvalidInput(
                f"The response makes {len(split.claims)} claims, more than {MAX_CLAIMS}; send it in parts.",
                field="response",
            )
        return split

    async def _documents(self, split: SplitResult) -> ScoringDocuments:
        """The documents sent; else those found by the question, which all claims answer; else by each claim."""
        request = self._request
        if request.documents is not None:
            return await given_documents(self._runtime, self._corpus, request.parameters, request.documents)
        texts = [request.question] if request.question else [claim.text for claim in split.claims]
        texts = texts if split.claims else []
        return await search_documents(self._runtime, self._corpus, request.parameters, texts, self._viewer)

    async def _judged(self, split: SplitResult, documents: ScoringDocuments) -> ConflictScore:
        claims = [ClaimDocuments(claim, documents.documents_for(index)) for index, claim in enumerate(split.claims)]
        pairs = len(pairs_to_judge(claims))
        if pairs > MAX_PAIRS:
            raise InvalidInput(
                f"There are {pairs:,} pairs of claims and passages to judge, more than {MAX_PAIRS:,}; send fewer or "
                "shorter documents, or the response in parts.",
                field="documents",
            )
        judged = await score_claims(claims, self._judge, min_probability=self._request.parameters.min_probability)
        usage = split.usage + judged.usage
        left_out = (LEFT_OUT.format(names=", ".join(documents.left_out)),) if documents.left_out else ()
        notes = (*split.notes, *judged.notes, *left_out)
        return ConflictScore(judged.claims, self._splitter.name, self._judge.name, usage, notes)

    async def _regenerated(self, score: ConflictScore, documents: ScoringDocuments) -> RegeneratedView:
        chat = self._runtime.require_chat()
        rewritten = await regenerate(self._request.response, score, chat, question=self._request.question)
        is_new = rewritten.outcome is ResponseOutcome.REWRITTEN
        return RegeneratedView(
            response=rewritten.response,
            outcome=rewritten.outcome,
            contested=rewritten.contested,
            untold=rewritten.untold,
            attempts=tuple(AttemptView(reply=tried.reply, refusal=tried.refusal) for tried in rewritten.attempts),
            conflict_score=await self._score_again(rewritten.response, documents) if is_new else None,
            prompt=rewritten.prompt_name,
            prompt_hash=rewritten.prompt_hash,
            usage=asdict(rewritten.usage),
            note=rewritten.note,
        )

    async def _score_again(self, response: str, documents: ScoringDocuments) -> ConflictScoreView:
        """The score of the rewritten response; its claims are others, so each is judged against all documents."""
        started = time.perf_counter()
        shared = documents.shared()
        return self._view(await self._judged(await self._split(response), shared), shared, started)

    def _view(self, score: ConflictScore, documents: ScoringDocuments, started: float) -> ConflictScoreView:
        return conflict_view(
            score,
            documents.references,
            default=documents.default,
            uncovered=self._request.parameters.uncovered,
            milliseconds=(time.perf_counter() - started) * 1000,
        )
