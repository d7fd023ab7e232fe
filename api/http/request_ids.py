"""The id under which a request is found in the log."""

import re
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.types import Scope

REQUEST_ID_HEADER = "X-Request-ID"
_SANE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_STATE = "request_id"


def assign_request_id(scope: Scope) -> str:
    """Take the id the client or a proxy sent, if it is harmless in a log, or make one."""
    sent = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
    request_id = sent if _SANE.fullmatch(sent) else uuid4().hex
    scope.setdefault("state", {})[_STATE] = request_id
    return request_id


def request_id_of(scope: Scope) -> str:
    """The id assigned before."""
    return str(scope.get("state", {}).get(_STATE, "none"))
