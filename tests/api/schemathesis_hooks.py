"""What schemathesis cannot know from a schema: loaded by it, see test_openapi.py."""

import re
from typing import Any

import schemathesis
from schemathesis import Case, HookContext, Response, SerializationContext
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.openapi.checks import RejectedPositiveData

# Rules that a schema cannot express: texts with a grammar or a list of their own, and characters no text may have.
PLACES = {"query.cursor", "body.cron", "body.timezone"}
MESSAGES = re.compile("remove it$|must not be blank")


@schemathesis.serializer("application/x-ndjson")
def ndjson(_context: SerializationContext, value: object) -> bytes:
    """Lines as they are generated."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def filter_failure(_context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """Whether a complaint stays, which it does unless a rule beyond the schema explains it."""
    if isinstance(failure, AcceptedNegativeData):
        # An import says for each line, not with its status, whether it was accepted.
        return not case.path.endswith(":import")
    if isinstance(failure, RejectedPositiveData):
        return not _breaks_a_rule_beyond_the_schema(response.json())
    return True


def _breaks_a_rule_beyond_the_schema(problem: dict[str, Any]) -> bool:
    if problem["type"] == "/problems/idempotency-key-reused":
        return True
    return any(fault["location"] in PLACES or MESSAGES.search(fault["message"]) for fault in problem.get("errors", []))
