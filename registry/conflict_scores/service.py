"""ConflictScore in the service: of any response, against documents that are sent or found, and of every answer.

No transaction is open while a model judges, splits or rewrites.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

import structlog

from answering.conflict import (
    Claim,
    ClaimDocuments,
    ConflictScore,
    ModelSplitter,
    Regeneration,
    RuleSplitter,
    Splitter,
    regenerate,
    score_claims,
)
from answering.conflict.scoring import pairs_to_judge
from answering.models import Usage
from registry.access.quotas import open_account
from registry.conflict_scores.report import conflict_view
from registry.conflict_scores.retrieval import GivenDocument, ScoringDocuments, hold, search
from registry.errors import InvalidInput, TooSlow
from registry.inputs.conflict_scores import ConflictParameters, SplitterKind
from registry.models import Corpus
from registry.results.conflict_score import ConflictScoreView, RegeneratedView
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

MAX_CLAIMS = 100
# What the compact judge does in a minute or so.
MAX_PAIRS = 3_000


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """What is to be scored; `documents` None has them searched for in the corpus."""

    response: str
    question: str | None
    documents: Sequence[GivenDocument] | None
    parameters: ConflictParameters
    regenerate: bool = False


@dataclass(frozen=True, slots=True)
class ScoringResult:
    """The score, and the response written anew where that was asked for."""

    score: ConflictScoreView
    regenerated: RegeneratedView | None


async def score(
    runtime: Runtime, corpus: Corpus, asked: ScoringRequest, *, key_id: UUID | None = None
) -> ScoringResult:
    """Score a response. Raises `InvalidInput` where it is too much at once, `TooSlow`, and what judges raise.

    The allowance of the key, if it has one, pays for language models.
    """
    runtime = runtime.charged_to(await open_account(runtime.database, key_id))
    seconds = runtime.settings.answer_timeout_seconds
    try:
        async with asyncio.timeout(seconds):
            return await Scoring(runtime, corpus, asked).run()
    except TimeoutError as error:
        raise TooSlow(
            f"No score within {seconds:g} seconds (CREDENCE_ANSWER_TIMEOUT_SECONDS). Send fewer documents or a shorter "
            "response, or have the compact judge judge."
        ) from error


class Scoring:
    """One response on its way to its score."""

    def __init__(self, runtime: Runtime, corpus: Corpus, asked: ScoringRequest) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._asked = asked
        self._judge = runtime.judges.of(asked.parameters.judge)
        self._splitter = _splitter(runtime, asked.parameters.claims)
        if asked.regenerate:
            runtime.require_chat()

    async def run(self) -> ScoringResult:
        """Split, find documents, judge; then rewrite, and score what was written against the same documents."""
        began = time.perf_counter()
        claims, usage, notes = await self._claims(self._asked.response)
        holdings = await self._holdings(claims)
        scored = await self._judged(claims, holdings, usage, notes)
        view = self._view(scored, holdings, began)
        return ScoringResult(view, await self._regenerated(scored, holdings) if self._asked.regenerate else None)

    async def _holdings(self, claims: Sequence[Claim]) -> ScoringDocuments:
        """The documents sent; else those found by the question, which all claims answer; else by each claim."""
        asked = self._asked
        if asked.documents is not None:
            return await hold(self._runtime, self._corpus, asked.documents)
        wanted = [asked.question] if asked.question else [claim.text for claim in claims]
        return await search(self._runtime, self._corpus, asked.parameters, wanted if claims else [])

    async def _claims(self, response: str) -> tuple[tuple[Claim, ...], Usage, tuple[str, ...]]:
        split = await self._splitter.split(response, self._asked.question)
        if len(split.claims) > MAX_CLAIMS:
            raise InvalidInput(
                f"The response makes {len(split.claims)} claims, more than {MAX_CLAIMS}; send it in parts.",
                field="response",
            )
        return split.claims, split.usage, (split.note,) if split.note else ()

    async def _judged(
        self, claims: Sequence[Claim], holdings: ScoringDocuments, usage: Usage, notes: tuple[str, ...]
    ) -> ConflictScore:
        grounds = [ClaimDocuments(claim, holdings.documents_for(place)) for place, claim in enumerate(claims)]
        pairs = len(pairs_to_judge(grounds))
        if pairs > MAX_PAIRS:
            raise InvalidInput(
                f"There are {pairs:,} pairs of claims and passages to judge, more than {MAX_PAIRS:,}; send fewer or "
                "shorter documents, or the response in parts.",
                field="documents",
            )
        judged = await score_claims(grounds, self._judge, least=self._asked.parameters.min_probability)
        return ConflictScore(judged.claims, self._splitter.name, self._judge.name, usage + judged.usage, notes)

    async def _regenerated(self, scored: ConflictScore, holdings: ScoringDocuments) -> RegeneratedView:
        chat = self._runtime.require_chat()
        made = await regenerate(self._asked.response, scored, chat, question=self._asked.question)
        return RegeneratedView(
            response=made.response,
            contested=made.contested,
            conflict_score=await self._again(made, holdings) if made.contested and not made.note else None,
            prompt=made.prompt_name,
            prompt_hash=made.prompt_hash,
            usage=asdict(made.usage),
            note=made.note,
        )

    async def _again(self, made: Regeneration, holdings: ScoringDocuments) -> ConflictScoreView:
        """The score of the new response; every claim of it against all documents, as its claims are others."""
        began = time.perf_counter()
        claims, usage, notes = await self._claims(made.response)
        everything = holdings.shared()
        return self._view(await self._judged(claims, everything, usage, notes), everything, began)

    def _view(self, scored: ConflictScore, holdings: ScoringDocuments, began: float) -> ConflictScoreView:
        return conflict_view(
            scored,
            holdings.names,
            default=holdings.default,
            uncovered=self._asked.parameters.uncovered,
            milliseconds=(time.perf_counter() - began) * 1000,
        )


def _splitter(runtime: Runtime, kind: SplitterKind) -> Splitter:
    return RuleSplitter() if kind is SplitterKind.RULES else ModelSplitter(runtime.require_chat())
