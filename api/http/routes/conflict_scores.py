"""The ConflictScore of a response."""

from typing import Annotated

from fastapi import APIRouter

from api.http.dependencies import PROTECTED, AskAccess
from api.http.openapi import examples
from registry.conflict_scores import service as conflict_scores
from registry.conflict_scores.schemas import ConflictAnswer, ConflictInput

router = APIRouter(prefix="/v1/corpora/{corpus}/conflict-scores", tags=["conflict scores"], dependencies=PROTECTED)


@router.post("", summary="Score a response")
async def score_response(body: Annotated[ConflictInput, examples.CONFLICT_SCORE], access: AskAccess) -> ConflictAnswer:
    """Splits the response into claims and judges each against every document: it supports the claim, contradicts it, or
    does neither. Returns the evidence with quotes and reliabilities, and the two numbers of ConflictScore, plain and
    weighted by reliability. Nothing is stored.
    """
    corpus = await access.corpus()
    return await conflict_scores.score(access.runtime, corpus, body, asker=access.principal.asker)
