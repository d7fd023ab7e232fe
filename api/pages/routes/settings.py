"""The settings of a corpus: made, changed and deleted."""

from typing import Annotated

from fastapi import Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from api.http.dependencies import AdminAccess, OperatorCaller
from api.http.routes.corpora import create_corpus, delete_corpus, get_corpus, update_corpus
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.corpora.schemas import CorpusInput, CorpusName, CorpusPatch, TextSearch
from registry.platform.enums import AnswerPolicy
from registry.platform.errors import InvalidInput
from registry.platform.fields import Description

collection = page_router("/corpora")
router = page_router("/corpora/{corpus}/settings")


class SettingsForm(BaseModel):
    """The settings as their form sends them, which leaves out boxes that are not ticked."""

    name: CorpusName
    description: Description = ""
    answers: AnswerPolicy
    asked_queries: Annotated[int, Field(ge=0, le=10_000)]
    use_gold: bool = False
    generate_queries: bool = False


@collection.post("")
async def make_corpus(
    caller: OperatorCaller,
    name: Annotated[CorpusName, Form()],
    text_search: Annotated[TextSearch, Form()],
    description: Annotated[Description, Form()] = "",
) -> Response:
    """Make a corpus and lead on to the ways to fill it."""
    await create_corpus(CorpusInput(name=name, description=description, text_search=text_search), caller, Response())
    return RedirectResponse(address("corpora", name, "documents"), 303)


@router.get("")
async def show_settings(request: Request, access: AdminAccess) -> Response:
    """The settings and the form that changes them."""
    settings = await get_corpus(access)
    return page(request, "corpora/settings.html", corpus=settings.name, settings=settings)


@router.post("")
async def change_settings(access: AdminAccess, form: Annotated[SettingsForm, Form()]) -> Response:
    """Change the settings; with another name the page has another address."""
    changed = await update_corpus(CorpusPatch(**form.model_dump()), access)
    return RedirectResponse(address("corpora", changed.name, "settings"), 303)


@router.post("/delete")
async def remove_corpus(caller: OperatorCaller, access: AdminAccess, name: Annotated[str, Form()] = "") -> Response:
    """Delete the corpus with everything in it, if its name is typed."""
    corpus = await access.corpus()
    if name != corpus.name:
        raise InvalidInput(f"To delete this corpus, type its name: {corpus.name}.", field="name")
    await delete_corpus(caller, access)
    return RedirectResponse(address("corpora"), 303)
