"""The client that commands work with: of the service at an address, or of the one within this process."""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from api.client.call import Call, Nothing
from api.client.clients import Client
from api.client.exchanges import ApiFailure
from api.client.nouns.sources import list_sources
from api.http.schemas.base import EventView, ListView
from registry.platform.errors import Conflict, NotFound, RegistryError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from api.cli.in_process import Worker

Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")
# The most rows of a page: a command shows whole lists.
PAGE_ROWS = 500
UNAUTHENTICATED = 401
SERVER_ERROR = 500
KEY_HINT = " Name one with --key or CREDENCE_KEY."


class ServiceRefused(RegistryError):
    """The service did not do what a command asked for, or there is none; the message says why."""


class ServiceFailed(ServiceRefused):
    """The service could not do it this time."""


class OtherVersion(RegistryError):
    """The service answers otherwise than the command expects."""


@dataclass(frozen=True, slots=True)
class Service:
    """The service that a command works with. Failures are raised as errors of the registry."""

    client: Client
    corpus: str
    """The corpus of calls that name no other."""
    address: str | None = None
    """None: it is within this process."""
    worker: "Worker | None" = None
    """Does its jobs here; None: workers of the service do them."""

    def send(self, call: Call[Model]) -> Model:
        with self._own_errors():
            return self.client.send(self._in_corpus(call))

    def newest(self, call: Call[ListView[Item]], limit: int = 0) -> list[Item]:
        """The last `limit` items of a list that is paged from the oldest on; 0 is all of them."""
        paged = replace(self._in_corpus(call), query={"limit": str(PAGE_ROWS), **call.query})
        return list(deque(self._passed_on(self.client.each(paged)), maxlen=limit or None))

    def has_any(self, call: Call[ListView[Item]]) -> bool:
        return bool(self.send(replace(call, query={**call.query, "limit": "1"})).items)

    def results(self, call: Call[Model]) -> Iterator[Model]:
        """The result of each line of an import, as they come."""
        return self._passed_on(self.client.results(self._in_corpus(call)))

    def follow(self, call: Call[EventView]) -> Iterator[EventView]:
        """The events of something under way, until it ends."""
        return self._passed_on(self.client.follow(self._in_corpus(call)))

    def steps(self, call: Call[EventView]) -> Iterator[EventView]:
        """The events of a question while it is answered."""
        return self._passed_on(self.client.steps(self._in_corpus(call)))

    def source(self, reference: str) -> str:
        """The name of a source in addresses, which have no place for a slash. Raises `NotFound` if there is none."""
        if reference and "/" not in reference:
            return reference
        return str(one_of(list_sources(), "external_id", "id", "name", what="source")(self, reference).id)

    def download(self, call: Call[Nothing]) -> Generator[bytes, None, None]:
        """The content of a file, in parts."""
        return self._passed_on(self.client.download(self._in_corpus(call)))

    def working_on(self, job: str, subject_id: UUID) -> "AbstractContextManager[None]":
        """Does a job while the block lasts, where this process is the service."""
        return nullcontext() if self.worker is None else self.worker.on(job, subject_id)

    def _in_corpus(self, call: Call[Model]) -> Call[Model]:
        return replace(call, path={"corpus": self.corpus, **call.path})

    def _passed_on(self, items: Iterator[Item]) -> Generator[Item, None, None]:
        with self._own_errors():
            yield from items

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            yield
        except ApiFailure as failure:
            raise self._error_of(failure) from failure
        except ValidationError as error:
            raise OtherVersion(
                f"The service at {self.address} answers otherwise than this version of the command expects: install "
                "the version of the service, or update it."
            ) from error

    def _error_of(self, failure: ApiFailure) -> RegistryError:
        problem = failure.problem
        if problem is None:
            return ServiceRefused(f"{str(failure).rstrip('.')}. Is a service of Credence at {self.address}?")
        if problem.type == "/problems/conflict":
            return Conflict(str(failure))
        if problem.status >= SERVER_ERROR:
            return ServiceFailed(str(failure))
        return ServiceRefused(f"{failure}{KEY_HINT if problem.status == UNAUTHENTICATED else ''}")


def one_of(call: Call[ListView[Item]], *names: str, what: str) -> Callable[[Service, str], Item]:
    """Finds the item of a list whose first, else second attribute and so on is a reference; raises `NotFound`."""

    def find(service: Service, reference: str) -> Item:
        items = service.newest(call)
        for name in names:
            for item in items:
                if str(getattr(item, name)) == reference:
                    return item
        raise NotFound(what, reference)

    return find
