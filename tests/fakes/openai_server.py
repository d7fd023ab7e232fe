"""A model server to test against: real HTTP on loopback, the OpenAI protocol, behaving as badly as told.

    with FakeOpenAIServer() as server:            # server.url ends in /v1
        server.chat = "Paris"                     # the same text to every request, or
        server.chat = lambda body: "IDK" if "Mars" in prompt_of(body) else fails(429, retry_after=0.1)
        server.chat = in_turn(dropped(), fails(500), "Paris")     # one after the other, the last for ever
        ...
        server.requests                           # what came, in order of arrival
        server.stop(); server.start()             # dead, and alive again on the same port

`chat` and `embeddings` are scripts: a reply, or a function of the request body that returns one.
A reply is a text (not for embeddings), or made by `says`, `writes`, `slow`, `fails`, `dropped`, `nonsense`.
"""

import contextlib
import hashlib
import json
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, TypeAlias, cast

Body: TypeAlias = dict[str, Any]
Connection: TypeAlias = socket.socket | tuple[bytes, socket.socket]  # as the standard library types it
Address: TypeAlias = tuple[str, int] | str


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response; `drop` closes the connection instead, `delay` waits first (seconds)."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: Body


Script: TypeAlias = str | Reply | Callable[[Body], str | Reply]


def says(text: str | None, *, prompt_tokens: int = 11, completion_tokens: int = 3) -> Reply:
    """A chat completion with this content."""
    message = {"role": "assistant", "content": text}
    return _json(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "fake",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
                "total_tokens": prompt_tokens + completion_tokens,
            },
        }
    )


def slow(reply: str | Reply, seconds: float) -> Reply:
    return replace(_as_reply(reply), delay=seconds)


def fails(status: int, message: str = "no", *, retry_after: float | None = None) -> Reply:
    """An error as OpenAI words it."""
    reply = _json({"error": {"message": message, "type": "fake", "param": None, "code": None}}, status)
    return reply if retry_after is None else replace(reply, headers={"Retry-After": f"{retry_after:g}"})


def dropped() -> Reply:
    """The connection breaks before a byte of the response."""
    return Reply(b"", drop=True)


def nonsense(body: str = "<html>Welcome to nginx!</html>", content_type: str = "text/html") -> Reply:
    """Status 200 with something that is not the protocol."""
    return Reply(body.encode(), headers={"Content-Type": content_type})


def in_turn(*replies: str | Reply) -> Callable[[Body], str | Reply]:
    """Each reply once, the last one for ever."""
    lock, waiting = threading.Lock(), list(replies)

    def script(_body: Body) -> str | Reply:
        with lock:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return script


def prompt_of(body: Body) -> str:
    """Everything a chat request says, in one text."""
    return "\n".join(str(message["content"]) for message in body["messages"])


def vector(text: str, dimension: int) -> list[float]:
    """A vector that depends on nothing but the text."""
    digest = hashlib.shake_256(text.encode("utf-8", "surrogatepass")).digest(dimension)
    return [byte / 127.5 - 1 for byte in digest]


class FakeOpenAIServer:
    """Serves /v1/chat/completions, /v1/embeddings, /v1/models from threads, until stopped."""

    def __init__(self, *, dimension: int = 8, models: tuple[str, ...] = ("fake",)) -> None:
        self.chat: Script = "IDK"
        self.embeddings: Script = self._vectors
        self.requests: list[Request] = []
        self.peak = 0
        self._dimension = dimension
        self._models = models
        self._under_way = 0
        self._lock = threading.Lock()
        self._port = 0
        self._stopping = threading.Event()
        self._http: _Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        self._stopping.clear()
        self._http = _Server(self, self._port)
        self._port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Connections are refused from now on; replies that still wait are given up."""
        self._stopping.set()
        if self._http is not None:
            self._http.shutdown()
            self._http.close()
            self._http = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()

    def reply_to(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
        try:
            reply = self._script_reply(request)
            self._stopping.wait(reply.delay)
            return dropped() if self._stopping.is_set() else reply
        finally:
            with self._lock:
                self._under_way -= 1

    def _script_reply(self, request: Request) -> Reply:
        scripts = {
            "/v1/chat/completions": self.chat,
            "/v1/embeddings": self.embeddings,
            "/v1/models": self._listing,
        }
        script = scripts.get(request.path, fails(404, f"no such path: {request.path}"))
        reply = script(request.body) if callable(script) else script
        return _as_reply(reply)

    def _listing(self, _body: Body) -> Reply:
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "fake"} for name in self._models]
        return _json({"object": "list", "data": models})

    def _vectors(self, body: Body) -> Reply:
        value = body["input"]
        texts: list[str] = [value] if isinstance(value, str) else value
        dimension = int(body.get("dimensions") or self._dimension)
        data = [
            {"object": "embedding", "index": n, "embedding": vector(text, dimension)} for n, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return _json({"object": "list", "data": data, "model": body["model"], "usage": usage})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, fake: FakeOpenAIServer, port: int) -> None:
        self.fake = fake
        self._open: set[Connection] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Connection, client_address: Address) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Connection) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Connection, client_address: Address) -> None:
        """A client that went away is no news."""

    def close(self) -> None:
        """Also breaks the connections that clients keep alive, as a killed server does."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                cast("socket.socket", connection).shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self._answer(cast("Body", json.loads(self.rfile.read(length))))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Tests read `requests`, not a log."""

    def _answer(self, body: Body) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        fake = cast("_Server", self.server).fake
        reply = fake.reply_to(Request(self.path, headers, body))
        if reply.drop:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)


def _as_reply(reply: str | Reply) -> Reply:
    return says(reply) if isinstance(reply, str) else reply


def _json(content: Body, status: int = 200) -> Reply:
    return Reply(json.dumps(content).encode(), status)
