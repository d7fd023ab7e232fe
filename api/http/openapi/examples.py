"""Examples of request bodies in the documentation, where a schema alone does not tell what to send; a test sends every
one.
"""

from typing import Any

from fastapi import Body
from fastapi.openapi.models import Example

_QUESTION = "In which city was the Zephyr 3 announced?"


def body_examples(**values: dict[str, Any]) -> Any:  # noqa: ANN401  (a marker of FastAPI's, typed as Any there)
    """A body with these examples; underscores in a name stand for spaces in its summary."""
    examples = {name: Example(summary=name.replace("_", " "), value=value) for name, value in values.items()}
    return Body(openapi_examples=examples)


CORPUS = body_examples(a_language={"name": "presse", "text_search": "french"})
SOURCE = body_examples(
    a_site={"name": "Acme's blog", "external_id": "acme-blog", "url": "https://blog.acme.example"}, a_name={"name": "X"}
)
SOURCE_PATCH = body_examples(pause={"status": "paused"}, rename={"name": "Acme's former blog"})
OVERRIDE = body_examples(distrust={"reliability": 0.1, "reason": "Its account was taken over in March"})
GOLD = body_examples(add={"answers": ["Oslo"]}, replace={"answers": ["Oslo", "Kristiania"], "replace": True})
JOIN = body_examples(team={"question": "Who won Super Bowl LII?", "answers": ["Eagles", "Philadelphia Eagles"]})
RATING = body_examples(listed={"rating": 0.85, "strength": 20, "origin": "Media bias list, May 2026"})
DOCUMENT = body_examples(
    text={
        "external_id": "post-17",
        "title": "The Zephyr 3 is here",
        "content": "The Zephyr 3 was announced in Oslo on 4 May 2021.",
        "published_at": "2021-05-04T12:00:00Z",
        "url": "https://blog.acme.example/17",
    },
    markdown={"external_id": "post-18", "media_type": "text/markdown", "content": "# News\n\nIt costs **300** crowns."},
)
CONSENSUS = body_examples(
    two_of_three={
        "votes": [
            {"source": f"model-{name}", "answer": said} for name, said in {"a": "72", "b": "72", "c": "70"}.items()
        ]
    }
)
GENERATION = body_examples(fifty_to_look_through={"queries": 50, "active": False})
CONNECTOR = body_examples(
    feeds_every_hour={
        "name": "press",
        "kind": "feed",
        "config": {"urls": ["https://herald.example/feed.xml"], "sources": {"herald.example": "Herald"}},
        "cron": "0 * * * *",
    },
    a_sitemap={"name": "site", "kind": "pages", "config": {"sitemap": "https://herald.example/sitemap.xml"}},
)
CONNECTOR_PATCH = body_examples(
    at_other_times={"cron": "0 3 * * *", "timezone": "Europe/Oslo"}, on_request_only={"cron": None}
)
QUERY = body_examples(
    unlabelled={"external_id": "q-042", "text": _QUESTION},
    with_a_gold_answer={"external_id": "q-043", "text": "What does the Zephyr 3 cost?", "gold_answers": ["300 crowns"]},
)
QUERY_PATCH = body_examples(switch_off={"active": False})
ESTIMATION = body_examples(as_the_paper_does={"parameters": {"paper": True}})
SCHEDULE = body_examples(nightly={"name": "nightly", "cron": "0 3 * * *", "timezone": "Europe/Oslo"})
SCHEDULE_PATCH = body_examples(switch_off={"enabled": False})
WEBHOOK = body_examples(alarms={"url": "https://hooks.example/x", "events": ["estimation.failed", "source.turned"]})
WEBHOOK_PATCH = body_examples(switch_off={"enabled": False})
QUESTION = body_examples(
    plain={"question": _QUESTION},
    with_limits={"question": _QUESTION, "parameters": {"kappa": 3, "max_readings": 12, "min_margin": 0.1}},
    debated_where_sources_conflict={
        "question": _QUESTION,
        "parameters": {"strategy": "auto", "auto": {"margin": 0.4, "debate": "madam"}, "max_model_calls": 30},
    },
)
CONFLICT_SCORE = body_examples(
    documents_sent={
        "response": "In Oslo",
        "question": _QUESTION,
        "documents": [
            {"source": "acme-blog", "content": "The Zephyr 3 was announced in Oslo on 4 May 2021."},
            {"source": "Gadget Daily", "reliability": 0.3, "content": "The Zephyr 3 was announced in Bergen."},
        ],
    },
    documents_searched_for={"response": "The Zephyr 3 was announced in Oslo. It costs 300 crowns."},
)
CHAT = body_examples(a_question={"model": "credence/default", "messages": [{"role": "user", "content": _QUESTION}]})
RESPONSE = body_examples(a_question={"model": "credence/default", "input": _QUESTION})
SYNC_DIFF = body_examples(
    as_oikb_sends_it={
        "manifest": [
            {"filename": "start.md", "path": "guides", "checksum": "9f86d081884c7d659a2feaa0c55ad015", "size": 1024}
        ]
    }
)
RETRIEVAL = body_examples(
    as_dify_sends_it={
        "knowledge_id": "default",
        "query": _QUESTION,
        "retrieval_setting": {"top_k": 3, "score_threshold": 0.2},
        "metadata_condition": {
            "logical_operator": "and",
            "conditions": [{"name": "published_at", "comparison_operator": "after", "value": "2026-01-01"}],
        },
    }
)
SEARCH = body_examples(by_both={"query": _QUESTION, "limit": 5, "reliability_weight": 0.7})
KEY = body_examples(
    an_importer={"name": "nightly import", "scopes": ["ingest"], "allowed_addresses": ["10.0.0.0/8"]},
    within_limits={"name": "the app", "scopes": ["ask"], "daily_model_calls": 500, "daily_tokens": 1_000_000},
)
PERSON = body_examples(an_owner={"email": "ada@example.org", "role": "owner"})
PERSON_PATCH = body_examples(one_corpus={"role": "editor", "corpus": "default"})
KEY_PATCH = body_examples(more_calls={"daily_model_calls": 2000}, no_limit={"daily_tokens": None})
