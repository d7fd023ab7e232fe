"""What schemathesis cannot know from a schema: loaded by it, see test_openapi.py."""

import itertools
import os
import re
from collections import Counter
from typing import Any

import schemathesis
from schemathesis import Case, HookContext, Response, SerializationContext
from schemathesis.core.failures import AcceptedNegativeData, Failure, ServerError
from schemathesis.generation.meta import CoveragePhaseData
from schemathesis.openapi.checks import RejectedPositiveData

# Rules that a schema cannot express: texts with a grammar or a list of their own, and characters no text may have.
PLACES = {"query.cursor", "body.cron", "body.timezone", "body.config", "body.metadata", "messages", "input"}
SHARED = {"corpus", "limit", "cursor", "Content-Type", "Idempotency-Key", "Last-Event-ID"}
NUMBERS = itertools.count()
EXAMPLES = int(os.environ["SCHEMATHESIS_EXAMPLES"])
SCENARIOS: Counter[tuple[object, ...]] = Counter()
MESSAGES = re.compile(
    "remove it$|must not be blank|is no address or network|classes may still merge|must lie before published_before"
    "|key that is bound to sources|can be bound to sources|cannot be resolved|is not a public address|can be fetched"
    "|scopeList must name|name either sourceId|of an item is no time|An item has no id"
)


@schemathesis.serializer("application/x-ndjson", "text/csv")
def ndjson(_context: SerializationContext, value: object) -> bytes:
    """Lines as they are generated."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def filter_case(_context: HookContext, case: Case[Any]) -> bool:
    """Of the coverage phase, keep so many cases of each scenario in each part of each operation's request.

    A parameter that operations share is handled by one function: its scenarios are tried on so many operations.
    """
    if case.meta is None or not isinstance(case.meta.phase.data, CoveragePhaseData):
        return True
    data = case.meta.phase.data
    part = data.parameter if data.parameter in SHARED else (case.operation.label, data.parameter_location)
    scenario = (part, data.scenario)
    SCENARIOS[scenario] += 1
    return SCENARIOS[scenario] <= EXAMPLES


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], _kwargs: dict[str, Any]) -> None:
    """Give each request an idempotency key of its own, where it has a proper one: a reused one hides the rest."""
    if case.headers and re.fullmatch("[!-~]{1,255}", str(case.headers.get("Idempotency-Key", ""))):
        case.headers["Idempotency-Key"] = f"request-{next(NUMBERS)}"


@schemathesis.hook
def filter_failure(_context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """Whether a complaint stays, which it does unless a rule beyond the schema explains it."""
    if isinstance(failure, AcceptedNegativeData):
        # An import says for each line, not with its status, whether it was accepted; a scope given twice is given.
        return not case.path.endswith(":import") and "Non-unique items" not in failure.message
    if isinstance(failure, ServerError | RejectedPositiveData) and response.status_code == 503:
        # The service under test has no language model, and says so to who asks for one.
        return slug_of(response.json()) != "not-configured"
    if isinstance(failure, RejectedPositiveData):
        if case.media_type == "text/csv":
            # It has a grammar, and a column that must be there.
            return False
        return not _breaks_a_rule_beyond_the_schema(response.json())
    return True


def slug_of(failure: dict[str, Any]) -> str:
    """The kind of a failure, in the shape of OpenAI's API or that of Nextcloud's, or as a problem."""
    if isinstance(failure.get("error"), str):
        return str(failure["code"])
    return str(failure["error"]["code"] if "error" in failure else failure["type"].removeprefix("/problems/"))


def _breaks_a_rule_beyond_the_schema(problem: dict[str, Any]) -> bool:
    if slug_of(problem) == "idempotency-key-reused":
        return True
    if isinstance(problem.get("error"), str):
        return MESSAGES.search(problem["error"]) is not None
    if "error" in problem:
        return problem["error"]["param"] in PLACES or MESSAGES.search(problem["error"]["message"]) is not None
    return any(fault["location"] in PLACES or MESSAGES.search(fault["message"]) for fault in problem.get("errors", []))
