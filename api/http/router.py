"""All routes, in the order of the documentation."""

from fastapi import APIRouter

from api.http.routes import (
    answers,
    audit,
    chat_completions,
    conflict_scores,
    connectors,
    corpora,
    dify,
    disputes,
    documents,
    estimations,
    exports,
    keys,
    misreadings,
    operations,
    queries,
    ratings,
    responses,
    schedules,
    search,
    sources,
    votes,
)

ROUTER = APIRouter(generate_unique_id_function=lambda route: route.name)
for router in (
    corpora.collection,
    corpora.item,
    sources.router,
    ratings.router,
    misreadings.of_source,
    documents.router,
    documents.of_corpus,
    connectors.router,
    queries.router,
    votes.router,
    estimations.router,
    disputes.router,
    misreadings.router,
    exports.router,
    schedules.router,
    answers.router,
    search.router,
    conflict_scores.router,
    chat_completions.router,
    responses.router,
    dify.router,
    keys.corpus_keys,
    keys.operator_keys,
    audit.of_corpus,
    audit.of_all,
    operations.router,
):
    ROUTER.include_router(router)
