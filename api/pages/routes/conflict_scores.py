"""How far the documents of a corpus dispute a text that somebody pastes."""

from typing import Annotated

from fastapi import Form, Request
from starlette.responses import Response

from api.http.dependencies import AskAccess
from api.http.routes.conflict_scores import score_response
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.conflict_scores.schemas import MAX_RESPONSE_CHARACTERS, ConflictInput
from registry.platform.fields import NotBlank, Question, Storable

router = page_router("/corpora/{corpus}/conflict-scores")


@router.get("")
async def show_form(request: Request, access: AskAccess) -> Response:
    """The form that takes a text."""
    corpus = await access.corpus()
    return page(request, "answers/check.html", corpus=corpus.name, sent=None, conflict=None)


@router.post("")
async def check(
    request: Request,
    access: AskAccess,
    response: Annotated[str, Form(max_length=MAX_RESPONSE_CHARACTERS), Storable, NotBlank],
    question: Annotated[Question | None, Form()] = None,
) -> Response:
    """The claims of a text with the documents for and against each; nothing is stored."""
    sent = ConflictInput(response=response, question=question)
    scored = await score_response(sent, access)
    return page(request, "answers/check.html", corpus=access.corpus_name, sent=sent, conflict=scored.score)
