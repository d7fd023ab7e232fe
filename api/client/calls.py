"""What can be asked of the service: each function makes a `Call`, which both clients send.

A test holds every call against the OpenAPI document: path, method, parameters, fields of the body, and the response.
"""

from api.client.call import Call, Nothing
from api.client.nouns.answers import (
    ask,
    ask_step_by_step,
    follow_answer,
    get_answer,
    list_answers,
    score_conflicts,
    start_answer,
)
from api.client.nouns.connectors import (
    create_connector,
    delete_connector,
    get_connector,
    list_connectors,
    run_connector,
    update_connector,
)
from api.client.nouns.corpora import (
    create_corpus,
    delete_corpus,
    get_corpus,
    list_changes,
    list_corpora,
    list_corpus_changes,
    update_corpus,
)
from api.client.nouns.documents import (
    delete_document,
    get_document,
    list_documents,
    search,
    send_document,
    send_documents,
    send_documents_of,
)
from api.client.nouns.estimations import (
    cancel_estimation,
    create_schedule,
    delete_schedule,
    follow_estimation,
    get_estimation,
    list_estimated_sources,
    list_estimations,
    list_schedules,
    start_estimation,
    update_schedule,
)
from api.client.nouns.keys import create_key, list_keys, revoke_key, rotate_key, update_key
from api.client.nouns.queries import (
    create_query,
    delete_query,
    generate_queries,
    get_generation,
    get_query,
    list_generations,
    list_gold,
    list_queries,
    send_queries,
    set_gold,
    undo_gold,
    update_query,
)
from api.client.nouns.sources import (
    create_source,
    delete_override,
    delete_rating,
    delete_source,
    get_reliability,
    get_source,
    judge_misreading,
    list_misreadings,
    list_reliability_history,
    list_source_votes,
    list_sources,
    send_ratings,
    set_override,
    set_rating,
    update_source,
    withdraw_verdict,
)
from api.client.nouns.votes import (
    count_votes,
    delete_vote,
    delete_votes,
    get_consensus,
    list_imported_votes,
    send_votes,
    stream_consensus,
)
from api.client.nouns.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_deliveries,
    list_webhooks,
    send_test_event,
    update_webhook,
)
