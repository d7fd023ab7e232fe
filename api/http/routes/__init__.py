"""The routes, one file a noun; each opens its own transactions and hands the sessions down."""

from fastapi import APIRouter

from api.http.routes import (
    answers,
    conflict_scores,
    corpora,
    documents,
    estimations,
    keys,
    operations,
    queries,
    schedules,
    sources,
)

ROUTERS: tuple[APIRouter, ...] = (
    corpora.all_of_them,
    corpora.one_of_them,
    sources.router,
    documents.router,
    queries.router,
    estimations.router,
    schedules.router,
    answers.router,
    conflict_scores.router,
    keys.of_corpus,
    keys.of_operators,
    operations.router,
)
