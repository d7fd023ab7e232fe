"""Changes of the audit log in words."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from uuid import UUID

from api.http.schemas.audit import AuditEventView, AuditLog
from api.text import shorten
from registry.platform.enums import ActorKind, AuditAction

ACTORS = {
    ActorKind.KEY: "over HTTP",
    ActorKind.BROWSER: "in a browser",
    ActorKind.ANONYMOUS: "without a key",
    ActorKind.CLI: "on the command line",
    ActorKind.JOB: "by itself",
}
_ACTIONS = {
    AuditAction.CONNECTOR_DELETED_DOCUMENTS: "documents deleted that a feed or site no longer has",
    AuditAction.ESTIMATION_RENAMED: "run renamed",
    AuditAction.ESTIMATION_MADE_CURRENT: "run made current",
    AuditAction.GOLD_CHANGED: "right answers changed",
    AuditAction.SHARE_REVOKED: "link to an answer revoked",
    AuditAction.MISREADING_VERDICT_DELETED: "verdict on a misreading taken back",
    AuditAction.OVERRIDE_SET: "reliability set by hand",
    AuditAction.OVERRIDE_DELETED: "reliability no longer set by hand",
}
_NOUNS = {"connector": "feed or site", "key": "API key"}
_FIELDS = {"gold_answers": "right answers", "cron": "when", "use_gold": "runs use right answers", "config": "reads"}


def action(of: AuditAction) -> str:
    """What was done."""
    noun, _, verb = of.partition(".")
    return _ACTIONS.get(of) or f"{_NOUNS.get(noun, noun)} {verb.replace('_', ' ')}"


def subjects(log: AuditLog) -> set[UUID]:
    """The identifiers in the log whose names say more."""
    values = (value for event in log.items for side in (event.before, event.after) for value in (side or {}).values())
    return {event.resource_id for event in log.items} | {found for value in values if (found := _identifier(value))}


def values(event: AuditEventView, names: Mapping[UUID, str]) -> Iterator[str]:
    """`reliability: 0.5, then 0.4`, field by field; identifiers of what has no name are left out."""
    before, after = event.before or {}, event.after or {}
    for field in before | after:
        told = [_value(side[field], names) for side in (before, after) if field in side]
        if any(told):
            label = _FIELDS.get(field) or field.removesuffix("_id").replace("_", " ")
            yield f"{label}: {', then '.join(one or 'another' for one in told)}"


def _value(value: object, names: Mapping[UUID, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"
    if isinstance(value, list):
        return ", ".join(filter(None, (_value(each, names) for each in value))) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_value(each, names)}" for key, each in value.items()) or "none"
    if identifier := _identifier(value):
        return names.get(identifier, "")
    return shorten(_time(value) or str(value), 200)


def _identifier(value: object) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) and len(value) == 36 else None
    except ValueError:
        return None


def _time(value: object) -> str | None:
    if not isinstance(value, str) or not value[:4].isdecimal() or value[10:11] != "T":
        return None
    return f"{datetime.fromisoformat(value):%Y-%m-%d %H:%M} UTC"
