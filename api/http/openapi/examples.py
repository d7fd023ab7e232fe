"""Examples of request bodies in the documentation; a test sends every one."""

from typing import Any

from fastapi import Body
from fastapi.openapi.models import Example


def body_examples(**values: dict[str, Any]) -> Any:  # noqa: ANN401  (a marker of FastAPI's, typed as Any there)
    """A body with these examples; underscores in a name stand for spaces in its summary."""
    examples = {name: Example(summary=name.replace("_", " "), value=value) for name, value in values.items()}
    return Body(openapi_examples=examples)


CORPUS = body_examples(
    english={"name": "press", "description": "What the press of a town reports"},
    another_language={"name": "presse", "text_search": "french"},
)
CORPUS_PATCH = body_examples(describe={"description": "What the press of a town reported until 2020"})
SOURCE = body_examples(
    a_site={
        "name": "Acme's blog",
        "external_id": "acme-blog",
        "url": "https://blog.acme.example",
        "description": "Announcements, since 2012",
        "attributes": {"owner": "press office"},
    },
    only_a_name={"name": "Overheard"},
)
SOURCE_PATCH = body_examples(
    pause={"status": "paused"}, rename={"name": "Acme's former blog"}, forget_the_URL={"url": None}
)
OVERRIDE = body_examples(distrust={"reliability": 0.1, "reason": "Its account was taken over in March"})
GOLD = body_examples(add={"answers": ["Oslo"]}, replace={"answers": ["Oslo", "Kristiania"], "replace": True})
JOIN = body_examples(team={"question": "Who won Super Bowl LII?", "answers": ["Eagles", "Philadelphia Eagles"]})
SHARE = body_examples(for_a_week={"days": 7})
VERDICT = body_examples(confirm={"verdict": "confirmed"}, reject={"verdict": "rejected"})
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
    HTML={"external_id": "post-19", "media_type": "text/html", "content": "<p>It was announced in Oslo.</p>"},
)
CONSENSUS = body_examples(
    two_of_three={
        "votes": [
            {"source": "model-a", "answer": "72"},
            {"source": "model-b", "answer": "72"},
            {"source": "model-c", "answer": "70"},
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
    at_other_times={"cron": "0 3 * * *", "timezone": "Europe/Oslo"},
    on_request_only={"cron": None},
    another_feed={"config": {"urls": ["https://gazette.example/atom"]}},
)
QUERY = body_examples(
    unlabelled={"external_id": "q-042", "text": "In which city was the Zephyr 3 announced?"},
    with_a_gold_answer={"external_id": "q-043", "text": "What does the Zephyr 3 cost?", "gold_answers": ["300 crowns"]},
    with_a_topic={"external_id": "q-044", "text": "Who leads Acme?", "topic": "companies"},
)
QUERY_PATCH = body_examples(switch_off={"active": False}, reword={"text": "Where was the Zephyr 3 announced?"})
ESTIMATION = body_examples(
    as_the_paper_does={"parameters": {"paper": True}},
    few_labels={"parameters": {"labels": 4, "negative_weights": "zero"}},
)
RUN_PATCH = body_examples(name_it={"name": "before the new reader"})
CURRENT_RUN = body_examples(instead_of_the_newest={"instead_of": "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"})
SCHEDULE = body_examples(
    nightly={"name": "nightly", "cron": "0 3 * * *", "timezone": "Europe/Oslo"},
    first_of_the_month={"name": "monthly", "cron": "30 6 1 * *", "parameters": {"method": "iwmv"}},
)
SCHEDULE_PATCH = body_examples(switch_off={"enabled": False}, move={"cron": "0 4 * * *"})
WEBHOOK = body_examples(
    everything={"url": "https://hooks.example/credence"},
    alarms={"url": "https://hooks.example/alarms", "events": ["estimation.failed", "source.turned"]},
)
WEBHOOK_PATCH = body_examples(switch_off={"enabled": False}, fewer={"events": ["estimation.failed"]})
QUESTION = body_examples(
    plain={"question": "In which city was the Zephyr 3 announced?"},
    as_the_paper_does={"question": "In which city was the Zephyr 3 announced?", "parameters": {"paper": True}},
    with_limits={
        "question": "In which city was the Zephyr 3 announced?",
        "parameters": {"kappa": 3, "max_readings": 12, "min_margin": 0.1},
    },
    debated_where_sources_conflict={
        "question": "In which city was the Zephyr 3 announced?",
        "parameters": {
            "strategy": "auto",
            "auto": {"margin": 0.4, "debate": "madam"},
            "madam": {"rounds": 2, "show_reliability": True},
            "max_model_calls": 30,
        },
    },
)
CONFLICT_SCORE = body_examples(
    documents_sent={
        "response": "In Oslo",
        "question": "In which city was the Zephyr 3 announced?",
        "documents": [
            {
                "external_id": "post-17",
                "source": "acme-blog",
                "content": "The Zephyr 3 was announced in Oslo on 4 May 2021.",
            },
            {"source": "Gadget Daily", "reliability": 0.3, "content": "The Zephyr 3 was announced in Bergen."},
        ],
    },
    documents_searched_for={
        "response": "The Zephyr 3 was announced in Oslo. It costs 300 crowns.",
        "parameters": {"max_sources": 4, "min_probability": 0.6},
    },
)
CHAT = body_examples(
    a_question={
        "model": "credence/default",
        "messages": [{"role": "user", "content": "In which city was the Zephyr 3 announced?"}],
    },
    a_conversation_streamed={
        "model": "credence/default:auto",
        "messages": [
            {"role": "user", "content": "In which city was the Zephyr 3 announced?"},
            {"role": "assistant", "content": "**Oslo**"},
            {"role": "user", "content": [{"type": "text", "text": "What does it cost?"}]},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    },
)
RESPONSE = body_examples(
    a_question={"model": "credence/default", "input": "In which city was the Zephyr 3 announced?"},
    messages={
        "model": "credence/default",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "In which city was the Zephyr 3 announced?"}]}
        ],
        "stream": True,
    },
)
KNOWLEDGE = body_examples(a_folder={"name": "Engineering handbook", "description": "What the teams wrote down."})
SYNC_DIFF = body_examples(
    as_oikb_sends_it={
        "manifest": [
            {"filename": "start.md", "path": "guides", "checksum": "9f86d081884c7d659a2feaa0c55ad015", "size": 1024}
        ]
    }
)
SYNC_CLEANUP = body_examples(as_oikb_sends_it={"file_ids": ["0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"]})
RETRIEVAL = body_examples(
    as_dify_sends_it={
        "knowledge_id": "default",
        "query": "In which city was the Zephyr 3 announced?",
        "retrieval_setting": {"top_k": 3, "score_threshold": 0.2},
        "metadata_condition": {
            "logical_operator": "and",
            "conditions": [{"name": "published_at", "comparison_operator": "after", "value": "2026-01-01"}],
        },
    },
)
SEARCH = body_examples(
    by_relevance_and_reliability={
        "query": "In which city was the Zephyr 3 announced?",
        "limit": 5,
        "reliability_weight": 0.7,
    },
)
KEY = body_examples(
    an_importer={"name": "nightly import", "scopes": ["ingest"]},
    for_a_while={"name": "a guest", "scopes": ["read", "ask"], "expires_at": "2199-12-31T00:00:00Z"},
    within_limits={"name": "the app", "scopes": ["ask"], "daily_model_calls": 500, "daily_tokens": 1_000_000},
    from_one_network={
        "name": "feed",
        "scopes": ["ingest"],
        "allowed_addresses": ["10.0.0.0/8"],
        "max_documents": 9000,
    },
)
KEY_PATCH = body_examples(more_calls={"daily_model_calls": 2000}, no_limit={"daily_tokens": None})
ROTATION = body_examples(a_day={}, at_once={"overlap_seconds": 0})
