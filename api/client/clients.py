"""The clients, which differ in how they send and wait."""

import asyncio
import time
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel
from tenacity import AsyncRetrying, Retrying

from api.client.call import Call, Nothing
from api.client.exchanges import (
    FIRST_PAUSE_SECONDS,
    NO_CONTENT,
    RETRIES,
    EventReader,
    Unreached,
    checked,
    lines_of,
    model_of,
    next_page,
    request_of,
)
from api.http.schemas.base import EventView, ListView

# As long as an answer may take by default.
TIMEOUT_SECONDS = 150.0
Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")


class Client:
    """Sends calls and waits for them. Use it as a context manager, or close it."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        groups: Iterable[str] | None = None,
        **options: Any,  # noqa: ANN401  (httpx.Client's)
    ) -> None:
        """Give `groups` to read and ask on behalf of somebody in these groups."""
        self._http = httpx.Client(base_url=url, headers=_headers(key, groups), **{"timeout": TIMEOUT_SECONDS} | options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call[Model]) -> Model:
        """The response; raises `ApiFailure`."""
        return model_of(call, self._sent(call))

    def each(self, call: Call[ListView[Item]]) -> Iterator[Item]:
        """The items of all pages of a list."""
        following: Call[ListView[Item]] | None = call
        while following is not None:
            page = self.send(following)
            yield from page.items
            following = next_page(following, page)

    def import_lines(self, call: Call[Model]) -> list[Model]:
        """A result for each line of an import."""
        return lines_of(call, self._sent(call))

    def results(self, call: Call[Model]) -> Iterator[Model]:
        """The result of each line of an import as it comes; an import that broke off is not repeated."""
        for line in self._lines(call):
            yield call.response.model_validate_json(line)

    def steps(self, call: Call[EventView]) -> Iterator[EventView]:
        """The events of a response that cannot be resumed; raises `ApiFailure` where one says so."""
        reader = EventReader(call)
        for line in self._lines(reader.call):
            yield from reader.events(line)

    def download(self, call: Call[Nothing]) -> Generator[bytes, None, None]:
        """The content of a file, in parts."""
        with self._streamed(call) as response:
            yield from response.iter_bytes()

    def _lines(self, call: Call[Model]) -> Iterator[str]:
        with self._streamed(call) as response:
            yield from response.iter_lines()

    @contextmanager
    def _streamed(self, call: Call[Model]) -> Iterator[httpx.Response]:
        """The response, of which nothing is read yet; raises `ApiFailure`."""
        response = self._once(request_of(self._http, call), stream=True)
        try:
            yield response
        except httpx.TransportError as error:
            raise Unreached(str(error)) from error
        finally:
            response.close()

    def follow(self, call: Call[EventView]) -> Iterator[EventView]:
        """Events until the last one; connects again where the stream breaks off."""
        reader = EventReader(call)
        while not reader.ended:
            response = self._sent(reader.call, stream=True)
            try:
                for line in response.iter_lines():
                    yield from reader.events(line)
            except httpx.TransportError:
                time.sleep(FIRST_PAUSE_SECONDS)
            finally:
                response.close()
            if response.status_code == NO_CONTENT:
                return

    def _sent(self, call: Call[Model], *, stream: bool = False) -> httpx.Response:
        return Retrying(**RETRIES)(self._once, request_of(self._http, call), stream=stream)

    def _once(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        try:
            response = self._http.send(request, stream=stream)
            if not response.is_success:
                response.read()
        except httpx.TransportError as error:
            raise Unreached(str(error)) from error
        return checked(response)


class AsyncClient:
    """The `Client` for asyncio."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        groups: Iterable[str] | None = None,
        **options: Any,  # noqa: ANN401  (httpx.AsyncClient's)
    ) -> None:
        """The parameters are those of `Client`."""
        headers = _headers(key, groups)
        self._http = httpx.AsyncClient(base_url=url, headers=headers, **{"timeout": TIMEOUT_SECONDS} | options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call[Model]) -> Model:
        """The response; raises `ApiFailure`."""
        return model_of(call, await self._sent(call))

    async def each(self, call: Call[ListView[Item]]) -> AsyncIterator[Item]:
        """The items of all pages of a list."""
        following: Call[ListView[Item]] | None = call
        while following is not None:
            page = await self.send(following)
            for item in page.items:
                yield item
            following = next_page(following, page)

    async def import_lines(self, call: Call[Model]) -> list[Model]:
        """A result for each line of an import."""
        return lines_of(call, await self._sent(call))

    async def follow(self, call: Call[EventView]) -> AsyncIterator[EventView]:
        """Events until the last one; connects again where the stream breaks off."""
        reader = EventReader(call)
        while not reader.ended:
            response = await self._sent(reader.call, stream=True)
            try:
                async for line in response.aiter_lines():
                    for event in reader.events(line):
                        yield event
            except httpx.TransportError:
                await asyncio.sleep(FIRST_PAUSE_SECONDS)
            finally:
                await response.aclose()
            if response.status_code == NO_CONTENT:
                return

    async def _sent(self, call: Call[Model], *, stream: bool = False) -> httpx.Response:
        return await AsyncRetrying(**RETRIES)(self._once, request_of(self._http, call), stream=stream)

    async def _once(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        try:
            response = await self._http.send(request, stream=stream)
            if not response.is_success:
                await response.aread()
        except httpx.TransportError as error:
            raise Unreached(str(error)) from error
        return checked(response)


def _headers(key: str | None, groups: Iterable[str] | None) -> dict[bytes, bytes]:
    headers = {} if key is None else {b"Authorization": f"Bearer {key}".encode()}
    return headers if groups is None else headers | {b"X-Credence-Groups": ", ".join(groups).encode()}
