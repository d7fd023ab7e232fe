"""The pages, one file a subject. None of them is in the OpenAPI document."""

from fastapi import APIRouter

from api.pages.routes import (
    answers,
    beginning,
    comparison,
    copies,
    corpora,
    disputes,
    documents,
    estimations,
    gold,
    joined_answers,
    keys,
    labels,
    misreadings,
    operations,
    quality,
    shares,
    sign_in,
    source,
    sources,
    suggestions,
)

ROUTER = APIRouter(include_in_schema=False)
for router in (
    sign_in.router,
    corpora.router,
    corpora.item,
    beginning.router,
    beginning.uploads,
    beginning.demo_corpus,
    sources.router,
    comparison.router,
    source.router,
    documents.router,
    answers.router,
    shares.router,
    shares.links,
    estimations.router,
    disputes.router,
    disputes.query,
    gold.router,
    labels.router,
    joined_answers.of_answer,
    joined_answers.of_query,
    misreadings.router,
    copies.router,
    quality.router,
    suggestions.router,
    keys.of_corpus,
    keys.of_operators,
    operations.router,
):
    ROUTER.include_router(router)
