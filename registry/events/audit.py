"""The audit log: each change is recorded in the transaction that makes it, without secrets, documents or questions."""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from uuid import UUID

from pydantic_core import to_jsonable_python

from registry.events.model import AuditEvent
from registry.platform.database.base import AsyncSession, Json
from registry.platform.enums import ActorKind, AuditAction

MAX_CHARACTERS = 200
Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller who changes something, with address and request."""

    actor: ActorKind
    key_id: UUID | None = None
    key_name: str | None = None
    address: str | None = None
    request_id: str | None = None


JOB = Actor(ActorKind.JOB)
# Of the task that runs: a request and a command set their own.
current_actor: ContextVar[Actor] = ContextVar("current_actor", default=JOB)


def record(
    session: AsyncSession,
    action: AuditAction,
    resource_id: UUID,
    corpus_id: UUID | None,
    *,
    before: Values | None = None,
    after: Values | None = None,
) -> None:
    """Record a change by the current actor: of two sets of values only what differs, and nothing if nothing does; of
    one set what is not None.

    Texts are cut at `MAX_CHARACTERS`.
    """
    if before is not None and after is not None:
        changed = [name for name in after if before.get(name) != after[name]]
        before, after = _part(before, changed), _part(after, changed)
        if not changed:
            return
    else:
        before, after = _present(before), _present(after)
    session.add(
        AuditEvent(
            action=action,
            resource_id=resource_id,
            corpus_id=corpus_id,
            before=_small(before),
            after=_small(after),
            **asdict(current_actor.get()),
        )
    )


def values_of(row: object, names: Iterable[str]) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}


def _part(values: Values, names: Iterable[str]) -> Values:
    return {name: values[name] for name in names if name in values}


def _present(values: Values | None) -> Values | None:
    return None if values is None else {name: value for name, value in values.items() if value is not None}


def _small(values: Values | None) -> Json | None:
    if values is None:
        return None
    short = {name: value[:MAX_CHARACTERS] if isinstance(value, str) else value for name, value in values.items()}
    plain: Json = to_jsonable_python(short)
    return plain
