"""Nextcloud's Context Chat of version 5.5: its backend asks what there is to do, which this does in its place.

The shapes are those of 5.5.0-beta0 of the app (`QueueController`, `UtilController`) and its backend (`task_fetcher`).
What is fetched goes to the operations of a corpus that older versions of the app send it to themselves.
"""

import base64
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from registry.platform.errors import RegistryError
from registry.platform.fields import CONTROL

APP: Final = "context_chat_backend"
CHAT: Final = "/ocs/v2.php/apps/context_chat"
TASKS: Final = "/ocs/v2.php/taskprocessing/tasks_provider"
ASK, SEARCH = "context_chat:context_chat", "context_chat:context_chat_search"
NEXT: Final = {
    "providerIds[]": ["context_chat-context_chat", "context_chat-context_chat_search"],
    "taskTypeIds[]": [ASK, SEARCH],
}
ITEMS, ACTIONS = 16, 512
"""Most that are fetched at once: what is fetched and not reported is given out again after some time."""
MOST_BYTES: Final = 10 * 2**20
"""Of a file, as by default of a connector."""
ROUTES: Final[Mapping[str, str]] = {
    "delete_source_ids": "deleteSources",
    "delete_provider_id": "deleteProvider",
    "delete_user_id": "deleteUser",
    "update_access_source_id": "updateAccess",
    "update_access_provider_id": "updateAccessProvider",
    "update_access_decl_source_id": "updateAccessDeclarative",
}
"""The operation for each kind of action."""
SERVER_ERROR: Final = 500
Json = dict[str, Any]


class NextcloudFailed(RegistryError):
    """Nextcloud or the service did not do what was asked, or cannot be reached; the message says which and why."""


class _Refused(Exception):
    """The service refuses one item or task, and would again."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """Fetches from `cloud`, and sends to `door`, the operations below `.../nextcloud` of a corpus."""

    cloud: httpx.AsyncClient
    door: httpx.AsyncClient
    refused: list[str] = field(default_factory=list)
    """Why items were left out, since `turn` began."""

    async def turn(self) -> int:
        """Do once what there is to do, and return how much it was. Raises `NextcloudFailed`."""
        self.refused.clear()
        try:
            # Before what is new: an item is sent with those who may see it by now.
            return await self._change() + await self._load() + await self._answer()
        except httpx.HTTPError as error:
            raise NextcloudFailed(f"{error.request.url.host}: {str(error) or type(error).__name__}") from error

    async def _change(self) -> int:
        """Removals and changes of access, in their order."""
        queued = await self._ocs("GET", f"{CHAT}/queues/actions", params={"n": ACTIONS})
        actions: Json = dict(queued["actions"])
        for action in actions.values():
            payload = action["payload"]
            if action["type"] == "delete_provider_id":
                payload = {"providerKey": payload["providerId"]}
            await self._unless_refused(self._send(ROUTES.get(action["type"], action["type"]), payload), action["type"])
        if actions:
            await self._ocs("DELETE", f"{CHAT}/queues/actions/", {"actions": list(map(int, actions))})
        return len(actions)

    async def _load(self) -> int:
        """Items that are new or changed."""
        queued = await self._ocs("GET", f"{CHAT}/queues/documents", params={"n": ITEMS})
        files, others = dict(queued["files"]), dict(queued["content_providers"])
        for item in [*files.values(), *others.values()]:
            await self._unless_refused(self._load_item(item), item["reference"])
        if files or others:
            done = {"files": list(map(int, files)), "content_providers": list(map(int, others))}
            await self._ocs("DELETE", f"{CHAT}/queues/documents/", done)
        return len(files) + len(others)

    async def _load_item(self, item: Json) -> None:
        if item["size"] > MOST_BYTES:
            raise _Refused(f"It has more than {MOST_BYTES:,} bytes.")
        content = item["content"]
        if content is None:
            number = int(item["reference"].rpartition(": ")[2])
            response = await self.cloud.get(f"{CHAT}/files/{number}", params={"userId": item["userIds"][0]})
            if response.status_code == httpx.codes.NOT_FOUND:
                raise _Refused("It is gone.")
            content = _checked(response).content
        said = {name: _on_a_line(str(item[name])) for name in ("title", "type", "modified", "provider")}
        headers = said | {"userIds": ",".join(item["userIds"])}
        part = item["reference"], content, "application/octet-stream", headers
        _unless_refusing(await self.door.put("loadSources", files=[("sources", part)]))

    async def _answer(self) -> int:
        """Questions and searches of users."""
        count = 0
        while task := ((await self._ocs("GET", f"{TASKS}/next", params=NEXT)) or {}).get("task"):
            output, problem = None, None
            try:
                output = await self._reply(task)
            except _Refused as error:
                problem = str(error)
            result = {"taskId": task["id"], "output": output, "errorMessage": problem}
            await self._ocs("POST", f"{TASKS}/{task['id']}/result", result)
            count += 1
        return count

    async def _reply(self, task: Json) -> Json:
        user, given = task["userId"], task["input"]
        body = {"query": given["prompt"], "userId": user}
        if given.get("scopeType") in {"provider", "source"}:
            body |= {"scopeType": given["scopeType"], "scopeList": given["scopeList"]}
        if body.get("scopeType") == "source":
            # Folders become the files in them.
            asked = {"source_ids": body["scopeList"], "userId": user}
            body["scopeList"] = (await self._ocs("POST", f"{CHAT}/resolve_scope_list", asked))["source_ids"]
        if task["type"] == SEARCH:
            return {"sources": await self._described(await self._send("docSearch", body), user)}
        reply = await self._send("query", body)
        found = [{"source_id": source} for source in reply["sources"]]
        return {"output": reply["output"], "sources": await self._described(found, user)}

    async def _described(self, found: Sequence[Json], user: str) -> list[str]:
        """Items with their names, icons and addresses in Nextcloud, each as JSON."""
        asked = {"sources": list(found), "userId": user}
        described = (await self._ocs("POST", f"{CHAT}/enrich_sources", asked))["sources"]
        return [json.dumps(source) for source in described]

    async def _send(self, route: str, body: Json) -> Any:  # noqa: ANN401  (any JSON)
        return _unless_refusing(await self.door.post(route, json=body)).json()

    async def _unless_refused(self, sending: Any, what: str) -> None:  # noqa: ANN401  (a coroutine of any result)
        try:
            await sending
        except _Refused as error:
            self.refused.append(f"{what}: {error}")

    async def _ocs(self, method: str, path: str, body: Json | None = None, params: Json | None = None) -> Any:  # noqa: ANN401  (any JSON)
        """The data of a response; None for one without content."""
        response = await self.cloud.request(method, path, params={"format": "json"} | (params or {}), json=body)
        return None if response.status_code == httpx.codes.NO_CONTENT else _checked(response).json()["ocs"]["data"]


@asynccontextmanager
async def open_bridge(cloud: str, version: str, service: str, corpus: str, key: str) -> AsyncIterator[Bridge]:
    """Between Nextcloud at `cloud`, where the backend is registered in this version with the key as its secret, and a
    corpus of the service.
    """
    headers = {
        "OCS-APIRequest": "true",
        "AA-VERSION": "32.0.0",
        "EX-APP-ID": APP,
        "EX-APP-VERSION": version,
        "AUTHORIZATION-APP-API": base64.b64encode(f":{key}".encode()).decode(),
    }
    door = f"{service.rstrip('/')}/v1/corpora/{corpus}/nextcloud/"
    # A reply may take as long as an answer may.
    async with (
        httpx.AsyncClient(base_url=cloud, headers=headers, timeout=60) as nextcloud,
        httpx.AsyncClient(base_url=door, headers={"Authorization": f"Bearer {key}"}, timeout=300) as sent,
    ):
        yield Bridge(nextcloud, sent)


def _checked(response: httpx.Response) -> httpx.Response:
    if not response.is_success:
        raise NextcloudFailed(f"{response.request.url.host} answers {response.status_code}: {response.text[:200]}")
    return response


def _unless_refusing(response: httpx.Response) -> httpx.Response:
    """The response; raises `_Refused` with the reason of the service, where it would refuse the same again."""
    forbidden = httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS
    if response.is_client_error and response.status_code not in forbidden:
        raise _Refused(response.text[:200])
    return _checked(response)


def _on_a_line(text: str) -> str:
    """As a header takes it."""
    return CONTROL.sub(" ", text)
