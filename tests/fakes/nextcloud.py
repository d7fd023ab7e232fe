"""The side of Nextcloud of Context Chat 5.5: its queues, its files, and the tasks of its users."""

import base64
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

CHAT = "/ocs/v2.php/apps/context_chat"
TASKS = "/ocs/v2.php/taskprocessing/tasks_provider"
VERSION = "5.5.0"


def _ocs(data: object) -> JSONResponse:
    return JSONResponse({"ocs": {"meta": {"status": "ok", "statuscode": 200, "message": "OK"}, "data": data}})


@dataclass
class FakeNextcloud:
    """What is queued, and what was reported; what is fetched is locked until it is removed."""

    secret: str
    files: dict[int, dict[str, Any]] = field(default_factory=dict)
    others: dict[int, dict[str, Any]] = field(default_factory=dict)
    actions: dict[int, dict[str, Any]] = field(default_factory=dict)
    contents: dict[int, bytes] = field(default_factory=dict)
    """By the ids of files."""
    folders: dict[str, list[str]] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    results: dict[int, dict[str, Any]] = field(default_factory=dict)
    locked: set[tuple[str, int]] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    """What was fetched of files, with the user."""

    def queue(self, number: int, reference: str, title: str, content: str, *users: str, **changed: object) -> None:
        """Queue a file, whose content is fetched by itself, or an item of another app."""
        is_file = reference.startswith("files__default: ")
        said = {
            "userIds": list(users), "reference": reference, "title": title, "modified": 1_760_000_000,
            "type": "text/markdown", "provider": reference.partition(": ")[0], "size": len(content),
        }  # fmt: skip
        if is_file:
            self.contents[int(reference.partition(": ")[2])] = content.encode()
        queued = self.files if is_file else self.others
        queued[number] = said | {"content": None if is_file else content} | changed

    def act(self, number: int, kind: str, **payload: object) -> None:
        """Queue an action."""
        self.actions[number] = {"id": number, "type": kind, "payload": payload}

    def ask(self, number: int, user: str, prompt: str, kind: str = "", **scope: object) -> None:
        """A user asks, or searches (`_search`)."""
        given = {"prompt": prompt, "scopeType": "none", "scopeList": [], "scopeListMeta": ""} | scope
        self.tasks.append({"id": number, "type": f"context_chat:context_chat{kind}", "userId": user, "input": given})

    def unlock(self) -> None:
        """As after a while."""
        self.locked.clear()

    def app(self) -> FastAPI:
        """Its routes, for the backend alone."""
        app = FastAPI()
        app.middleware("http")(self._authenticate)
        for method, path, handler in (
            ("GET", f"{CHAT}/queues/documents", self._documents),
            ("DELETE", f"{CHAT}/queues/documents/", self._remove_documents),
            ("GET", f"{CHAT}/queues/actions", self._actions),
            ("DELETE", f"{CHAT}/queues/actions/", self._remove_actions),
            ("GET", f"{CHAT}/files/{{number}}", self._file),
            ("POST", f"{CHAT}/resolve_scope_list", self._resolve),
            ("POST", f"{CHAT}/enrich_sources", self._enrich),
            ("GET", f"{TASKS}/next", self._next),
            ("POST", f"{TASKS}/{{number}}/result", self._report),
        ):
            app.add_api_route(path, handler, methods=[method], response_model=None)
        return app

    async def _authenticate(self, request: Request, proceed: Any) -> Response:  # noqa: ANN401  (Starlette's)
        secret = base64.b64decode(request.headers.get("AUTHORIZATION-APP-API", "")).decode()
        known = request.headers.get("EX-APP-ID"), request.headers.get("EX-APP-VERSION"), secret
        if known != ("context_chat_backend", VERSION, f":{self.secret}"):
            return Response(status_code=401)
        is_ocs = request.headers.get("OCS-APIRequest") == "true" and request.query_params.get("format") == "json"
        if not is_ocs and "/files/" not in request.url.path:
            return Response("<?xml version='1.0'?><ocs/>", media_type="application/xml")
        response: Response = await proceed(request)
        return response

    def _take(self, name: str, queued: dict[int, dict[str, Any]], most: int) -> dict[str, Any]:
        free = [number for number in queued if (name, number) not in self.locked][:most]
        self.locked |= {(name, number) for number in free}
        return {str(number): queued[number] for number in free}

    async def _documents(self, n: int) -> Response:
        files, others = self._take("files", self.files, n), self._take("others", self.others, n)
        return _ocs({"files": files, "content_providers": others})

    async def _remove_documents(self, request: Request) -> Response:
        body = await request.json()
        for number in body["files"]:
            del self.files[number]
        for number in body["content_providers"]:
            del self.others[number]
        return _ocs([])

    async def _actions(self, n: int) -> Response:
        return _ocs({"actions": self._take("actions", self.actions, n)})

    async def _remove_actions(self, request: Request) -> Response:
        for number in (await request.json())["actions"]:
            del self.actions[number]
        return _ocs([])

    async def _file(self, number: int, userId: str) -> Response:  # noqa: N803  (Nextcloud's)
        self.asked.append(f"{number} of {userId}")
        found = self.contents.get(number)
        return Response(status_code=404) if found is None else Response(found)

    async def _resolve(self, request: Request) -> Response:
        given = (await request.json())["source_ids"]
        return _ocs({"source_ids": [each for name in given for each in self.folders.get(name, [name])]})

    async def _enrich(self, request: Request) -> Response:
        body = await request.json()
        described = [{"id": each["source_id"], "label": "x", "url": f"/{body['userId']}"} for each in body["sources"]]
        return _ocs({"sources": described})

    async def _next(self, request: Request) -> Response:
        wanted = request.query_params.getlist("taskTypeIds[]")
        assert request.query_params.getlist("providerIds[]")
        task = next((task for task in self.tasks if task["type"] in wanted), None)
        if task is None:
            return Response(status_code=204)
        self.tasks.remove(task)
        return _ocs({"task": task, "provider": {"name": "context_chat-context_chat"}})

    async def _report(self, number: int, request: Request) -> Response:
        self.results[number] = await request.json()
        return _ocs({"task": {"id": number}})
