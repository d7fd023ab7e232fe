"""The ConflictScore of a response."""

from typing import Annotated

from fastapi import APIRouter

from api.http import problems
from api.http.dependencies import PROTECTED, AskAccess
from api.http.openapi import examples
from api.http.openapi.responses import post_responses
from registry.conflict_scores import service as conflict_scores
from registry.conflict_scores.schemas import ConflictAnswer, ConflictInput

router = APIRouter(prefix="/v1/corpora/{corpus}/conflict-scores", tags=["conflict scores"], dependencies=PROTECTED)

_MODEL = (
    problems.NOT_CONFIGURED,
    problems.READER_FAILED,
    problems.READER_UNAVAILABLE,
    problems.READER_TIMEOUT,
    problems.TOO_SLOW,
    problems.LIMIT_REACHED,
)


@router.post("", summary="Score a response", responses=post_responses(*_MODEL))
async def score_response(body: Annotated[ConflictInput, examples.CONFLICT_SCORE], access: AskAccess) -> ConflictAnswer:
    """Splits the response into claims and judges each against every document: it supports the claim, contradicts it,
    or does neither. Returns the evidence with quotes and reliabilities, and the two numbers of ConflictScore, plain and
    weighted by reliability. Nothing is stored. Needs the scope `ask`.
    """
    corpus = await access.corpus()
    return await conflict_scores.score(access.runtime, corpus, body, asker=access.principal.asker)
