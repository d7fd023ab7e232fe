"""People who sign in with a provider of identities: who gets in, as what, and who does not."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import httpx
import pytest
from joserfc.jwk import OctKey, RSAKey
from sqlalchemy import select

from api.app import create_app
from api.http.authorization import COOKIE
from api.pages.routes.sign_in import BEGUN
from registry.corpora.model import Corpus
from registry.events.model import AuditEvent
from registry.keys.model import ApiKey
from registry.keys.schemas import Scope
from registry.people import provider as provider_module
from registry.people import store as people
from registry.people.model import Person
from registry.people.schemas import PersonInput
from registry.platform.enums import Role
from registry.platform.errors import Conflict
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.fakes.identity_provider import ADA, CLIENT_ID, CLIENT_SECRET, IdentityProvider, identity_provider

PEOPLE = "/operations/people"
EMAIL = "ada@example.org"


@pytest.fixture(scope="module")
def running() -> Iterator[IdentityProvider]:
    with identity_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: IdentityProvider) -> Iterator[IdentityProvider]:
    """The provider as it should be; what a test changes of it is undone."""
    before = dict(vars(running)) | {"forged": {}, "metadata": {}, "requests": []}
    yield running
    vars(running).update(before)


@dataclass(frozen=True, slots=True)
class Service:
    """A service whose issuer is the provider."""

    runtime: Runtime
    settings: Settings
    provider: IdentityProvider

    @asynccontextmanager
    async def browser(self, **settings: object) -> AsyncIterator[Browser]:
        """A browser that reaches the service and the provider, with these settings of the service."""
        own = self.provider.settings(self.settings, **settings)
        app = create_app(own, runtime=replace(self.runtime, settings=own))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        outside = {self.provider.url: httpx.AsyncHTTPTransport()}
        accept = {"Accept": "text/html"}
        async with httpx.AsyncClient(
            transport=transport, mounts=outside, base_url="http://localhost", headers=accept
        ) as client:
            yield Browser(client)

    async def expect(self, role: Role, email: str = EMAIL, corpus: Corpus | None = None) -> UUID:
        """Somebody who is expected to sign in."""
        async with self.runtime.database.begin() as session:
            return (await people.expect(session, PersonInput(email=email, role=role), corpus)).id

    async def audited(self) -> list[AuditEvent]:
        async with self.runtime.database.begin() as session:
            return list(await session.scalars(select(AuditEvent).order_by(AuditEvent.id)))

    async def everybody(self) -> list[Person]:
        async with self.runtime.database.begin() as session:
            return list((await people.page(session, cursor=None, limit=99)).items)


@pytest.fixture
def service(settings: Settings, reading: Runtime, provider: IdentityProvider, corpus: Corpus) -> Service:
    assert corpus.name == "default"
    return Service(reading, settings, provider)


async def sign_in(browser: Browser, status: int = 200) -> str:
    """Follow the link of the page to the provider and back."""
    await browser.get("/sign-in")
    (link,) = [link for link in browser.links() if link.startswith("/sign-in/provider")]
    return await browser.get(link, status)


async def test_a_person_signs_in_and_out_with_the_role_that_an_owner_gave(service: Service) -> None:
    person_id = await service.expect(Role.READER)
    async with service.browser() as browser:
        assert "Sign in with 127.0.0.1" in await browser.get(f"{PAGES}/sources", 401)
        (link,) = [link for link in browser.links() if link.startswith("/sign-in/provider")]
        assert "Signed in" in await browser.get(link)
        assert f"{PAGES}/sources" in browser.links()
        assert "no sources yet" in await browser.get(f"{PAGES}/sources")
        assert "`admin`" in await browser.get(f"{PAGES}/settings", 403)
        await browser.get(PEOPLE, 403)
        before = browser.client.cookies[COOKIE]
        await browser.get("/corpora")
        assert "Sign in" in await browser.send("/sign-out")
        browser.client.cookies.set(COOKIE, before)
        await browser.get("/corpora", 401)
    (person,) = await service.everybody()
    assert (person.id, person.subject, person.email, person.name) == (person_id, ADA["sub"], EMAIL, ADA["name"])
    signed_in = [event for event in await service.audited() if event.action == "person.signed_in"]
    assert [(event.key_name, event.resource_id) for event in signed_in] == [(EMAIL, person_id)]


async def test_signing_out_leads_on_to_the_provider_if_it_knows_how(service: Service, corpus: Corpus) -> None:
    await service.expect(Role.READER)
    async with service.browser() as browser:
        service.provider.metadata = {"end_session_endpoint": f"{service.provider.url}/logout?realm=a"}
        await sign_in(browser)
        await browser.get("/corpora")
        assert "Signed out" in await browser.send("/sign-out")
        goal = f"{service.provider.url}/logout?realm=a&client_id={CLIENT_ID}"
        assert browser.page.xpath("//meta[@http-equiv='refresh']/@content") == [f"0; url={goal}"]
        await browser.get("/corpora", 401)
        # Who signed in with a key has nothing to sign out of there.
        secret = await secret_of(service.runtime, corpus, Scope.READ)
        await browser.get("/sign-in")
        await browser.send("/sign-in", api_key=secret)
        await browser.get("/corpora")
        assert "Or with an API key" in await browser.send("/sign-out")
        assert not browser.page.xpath("//meta[@http-equiv='refresh']")


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        (Role.READER, {"/answers": 200, "/suggestions": 200, "/keys": 403}),
        (Role.EDITOR, {"/answers": 200, "/documents": 200, "/keys": 403}),
        (Role.OWNER, {"/answers": 200, "/documents": 200, "/keys": 200}),
    ],
)
async def test_roles_open_pages(service: Service, role: Role, pages: dict[str, int]) -> None:
    await service.expect(role)
    async with service.browser() as browser:
        await sign_in(browser)
        for path, status in pages.items():
            await browser.get(f"{PAGES}{path}", status)


async def test_who_has_no_role_is_not_let_in_and_the_first_is_no_owner(service: Service) -> None:
    async with service.browser() as browser:
        assert f"knows you as {EMAIL}, and you have no role" in await sign_in(browser, 403)
        await browser.get("/corpora", 401)
    assert await service.everybody() == []


async def test_an_address_that_is_not_verified_is_nobodys(service: Service, provider: IdentityProvider) -> None:
    await service.expect(Role.OWNER)
    for is_verified in (False, None, "false", 1):
        provider.person = {**ADA, "email_verified": is_verified}
        async with service.browser() as browser:
            await sign_in(browser, 403)
    (expected,) = await service.everybody()
    assert expected.subject is None


async def test_an_address_is_somebodys_by_the_first_subject_that_has_it(
    service: Service, provider: IdentityProvider
) -> None:
    await service.expect(Role.OWNER)
    async with service.browser() as browser:
        await sign_in(browser)
    provider.person = {**ADA, "sub": "another"}
    async with service.browser() as browser:
        await sign_in(browser, 403)


async def test_others_have_the_default_role(service: Service) -> None:
    async with service.browser(oidc_default_role="reader") as browser:
        await sign_in(browser)
        await browser.get("/corpora")
        await browser.get("/operations", 403)
    (person,) = await service.everybody()
    assert person.role is Role.READER


async def test_a_role_of_the_provider_counts_at_every_sign_in(service: Service, provider: IdentityProvider) -> None:
    provider.person = {**ADA, "groups": ["staff", "reader", "owner"]}
    async with service.browser(oidc_role_claim="groups") as browser:
        await sign_in(browser)
        await browser.get(PEOPLE)
        provider.person = {**ADA, "groups": "editor"}
        async with service.browser(oidc_role_claim="groups") as other:
            await sign_in(other)
        await browser.get(PEOPLE, 403)
        await browser.get("/corpora")
        provider.person = {**ADA, "groups": ["staff"]}
        async with service.browser(oidc_role_claim="groups") as other:
            assert "no role" in await sign_in(other, 403)
        await browser.get("/corpora", 401)
    assert await service.everybody() == []
    async with service.browser(oidc_role_claim="groups", oidc_default_role="reader") as browser:
        await sign_in(browser)
        await browser.get("/corpora")


async def test_what_the_id_token_leaves_out_is_asked_for(service: Service, provider: IdentityProvider) -> None:
    await service.expect(Role.READER)
    provider.told_by_userinfo = frozenset({"email", "email_verified", "name"})
    async with service.browser() as browser:
        await sign_in(browser)
    assert "/userinfo" in provider.requests


FORGED: dict[str, dict[str, Any]] = {
    "the nonce of another sign-in": {"nonce": "other"},
    "no nonce": {"nonce": None},
    "another issuer": {"iss": "https://evil.example"},
    "another audience": {"aud": "another-client"},
    "another audience, for us": {"aud": "another-client", "azp": "credence"},
    "us and another audience, for that": {"aud": ["credence", "another-client"], "azp": "another-client"},
    "expired": {"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200},
    "no end": {"exp": None},
    "not yet valid": {"nbf": int(time.time()) + 3600},
    "no subject": {"sub": None},
    "a subject without end": {"sub": "1" * 5000},
    "a subject with NUL": {"sub": "1\x00"},
    "of another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
async def test_an_id_token_that_proves_nothing_is_refused(
    service: Service, provider: IdentityProvider, forged: dict[str, Any]
) -> None:
    await service.expect(Role.OWNER)
    provider.forged = forged
    async with service.browser(oidc_default_role="owner") as browser:
        await sign_in(browser, 401)
        await browser.get("/corpora", 401)
    (expected,) = await service.everybody()
    assert expected.subject is None


async def test_signatures_of_others_are_refused(service: Service, provider: IdentityProvider) -> None:
    for algorithm, key in (
        ("none", provider.key),
        ("HS256", OctKey.import_key(CLIENT_SECRET)),
        ("RS256", RSAKey.generate_key(2048, {"kid": "a"})),
    ):
        provider.algorithm, provider.signing_key = algorithm, key
        async with service.browser(oidc_default_role="owner") as browser:
            assert "not valid" in await sign_in(browser, 401)
    assert await service.everybody() == []


async def test_a_new_key_of_the_provider_is_fetched(service: Service, provider: IdentityProvider) -> None:
    async with service.browser(oidc_default_role="reader") as browser:
        await sign_in(browser)
        provider.key = provider.signing_key = RSAKey.generate_key(2048, {"kid": "b", "use": "sig"})
        await browser.get("/corpora")
        await browser.send("/sign-out")
        await sign_in(browser)
    assert provider.requests.count("/.well-known/openid-configuration") == 1


async def test_a_sign_in_counts_once_and_only_in_its_browser(service: Service) -> None:
    async with service.browser(oidc_default_role="reader") as browser, service.browser() as other:
        there = (await browser.client.get("/sign-in/provider")).headers["location"]
        begun = browser.client.cookies[BEGUN]
        back = (await browser.client.get(there)).headers["location"]
        # Somebody has the victim's browser follow the end of their own sign-in, or the other way round.
        await other.get(back, 401)
        await other.get("/sign-in/provider", 403)
        await other.get(back, 401)
        assert "Signed in" in await browser.get(back)
        assert "begin again" in await browser.get(back, 401)
        browser.client.cookies.set(BEGUN, begun, path="/sign-in")
        assert "invalid_grant" in await browser.get(back, 401)
        for changed in (back.replace("state=", "state=x"), back.split("&state")[0], back + "&error=access_denied"):
            await browser.get(changed, 401)
    assert len(await service.everybody()) == 1


async def test_a_code_is_worth_nothing_without_its_verifier(service: Service) -> None:
    async with service.browser(oidc_default_role="reader") as browser:
        there = httpx.URL((await browser.client.get("/sign-in/provider")).headers["location"])
        assert there.params["code_challenge_method"] == "S256"
        stolen = there.copy_merge_params({"code_challenge": "A" * 43})
        await browser.get((await browser.client.get(stolen)).headers["location"], 401)


@pytest.mark.parametrize("goal", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"])
async def test_it_leads_to_our_own_pages_only(service: Service, goal: str) -> None:
    async with service.browser(oidc_default_role="reader") as browser:
        for planted in (False, True):
            there = (await browser.client.get("/sign-in/provider", params={"goal": goal})).headers["location"]
            if planted:
                begun = browser.client.cookies[BEGUN].partition(".")[0]
                browser.client.cookies.set(BEGUN, f"{begun}.{httpx.QueryParams({'': goal})}"[:200], path="/sign-in")
            back = (await browser.client.get(there)).headers["location"]
            await browser.get(back)
            assert browser.page.xpath("//meta[@http-equiv]/@content") == ["0; url=/"]
            browser.client.cookies.clear()


async def test_a_provider_that_is_another_or_does_not_answer_signs_nobody_in(
    service: Service, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_module, "MAX_BYTES", 100_000)
    async with service.browser(oidc_default_role="owner") as browser:
        for metadata in (
            {"issuer": "https://evil.example"},
            {"jwks_uri": None},
            {"token_endpoint": "file:///etc/passwd"},
        ):
            provider.metadata = metadata
            assert "does not answer as it should" in await browser.get("/sign-in/provider", 503)
        provider.metadata, provider.is_endless = {}, True
        await browser.get("/sign-in/provider", 503)
        provider.is_endless = False
        await sign_in(browser)
    async with service.browser(oidc_issuer="http://127.0.0.1:9/") as browser:
        await browser.get("/sign-in/provider", 503)
        await browser.get("/sign-in")


async def test_the_cookies_of_a_sign_in_are_out_of_reach_of_scripts(service: Service) -> None:
    async with service.browser(oidc_default_role="reader") as browser:
        browser.client.base_url = httpx.URL("https://localhost")
        begun = await browser.client.get("/sign-in/provider")
        assert {"httponly", "secure", "samesite=lax", "path=/sign-in"} <= _flags(begun)
        back = (await browser.client.get(begun.headers["location"])).headers["location"]
        assert back.startswith("https://localhost/sign-in/callback?")
        ended = await browser.client.get(back)
        assert {"httponly", "secure", "samesite=strict"} <= _flags(ended)


def _flags(response: httpx.Response) -> set[str]:
    return {part.strip().lower() for part in response.headers.get_list("set-cookie")[0].split(";")}


async def test_owners_see_people_and_change_roles_and_the_last_one_stays(
    service: Service, provider: IdentityProvider
) -> None:
    await service.expect(Role.OWNER)
    async with service.browser() as browser, service.browser() as other:
        await sign_in(browser)
        assert "expected" not in await browser.get(PEOPLE)
        text = await browser.send(PEOPLE, email="Grace@example.org", role="reader")
        assert "grace@example.org" in text
        assert "expected" in text
        await browser.send(PEOPLE, 409, email="grace@example.org", role="owner")
        own, grace = [str(person.id) for person in await service.everybody()]
        await browser.get(PEOPLE)
        for action, fields in ((own, {"role": "editor"}), (own, {"corpus": "default"}), (f"{own}/remove", {})):
            assert "only owner who has signed in" in await browser.send(f"{PEOPLE}/{action}", 409, **fields)
            await browser.get(PEOPLE)
        provider.person = {"sub": "2", "email": "grace@example.org", "email_verified": True, "name": "<b>Grace"}
        await sign_in(other)
        await other.get(PEOPLE, 403)
        await browser.send(f"{PEOPLE}/{grace}", role="owner")
        assert "<b>Grace" in await other.get(PEOPLE)
        await other.send(f"{PEOPLE}/{own}", role="editor", corpus="default")
        await browser.get(PEOPLE, 403)
        await browser.get(f"{PAGES}/answers")
        await other.get(PEOPLE)
        await other.send(f"{PEOPLE}/{own}/remove")
        await browser.get(f"{PAGES}/answers", 401)
    changes = [(event.action, event.key_name) for event in await service.audited() if event.action != "key.created"]
    assert ("person.changed", "grace@example.org") in changes
    assert ("person.removed", "grace@example.org") in changes


async def test_the_key_of_a_person_is_no_key_of_others(service: Service, corpus: Corpus) -> None:
    person_id = await service.expect(Role.OWNER, corpus=corpus)
    secret = await secret_of(service.runtime, corpus, Scope.ADMIN)
    async with service.browser() as browser:
        headers = {"Authorization": f"Bearer {secret}"}
        keys = "/v1/corpora/default/keys"
        listed = (await browser.client.get(keys, headers=headers)).json()["items"]
        assert [key["name"] for key in listed] == ["visitor"]
        for method, path, body in (("POST", "/secrets", {}), ("PATCH", "", {"name": "x"}), ("DELETE", "", None)):
            at = f"{keys}/{person_id}{path}"
            assert (await browser.client.request(method, at, headers=headers, json=body)).status_code == 404
        assert (await browser.client.get("/v1/people", headers=headers)).status_code == 403
        await sign_in(browser)
        await browser.get(f"{PAGES}/keys")
        await browser.get(PEOPLE, 403)
        assert (await browser.client.get(keys)).status_code == 401


async def test_owners_cannot_take_the_role_from_each_other_at_once(
    service: Service, provider: IdentityProvider
) -> None:
    for number in (1, 2):
        provider.person = {"sub": str(number), "name": f"Owner {number}"}
        async with service.browser(oidc_default_role="owner") as browser:
            await sign_in(browser)
    first, second = [person.id for person in await service.everybody()]

    async def demote(person_id: UUID) -> None:
        async with service.runtime.database.begin() as session:
            await people.change(session, person_id, role=Role.READER, corpus=None)
            await asyncio.sleep(0.05)

    results = await asyncio.gather(demote(first), demote(second), return_exceptions=True)
    assert [type(result) for result in results if result is not None] == [Conflict]
    assert sorted(person.role for person in await service.everybody()) == [Role.OWNER, Role.READER]


async def test_people_over_http_and_in_the_table_of_keys(service: Service, corpus: Corpus) -> None:
    secret = await secret_of(service.runtime, None, Scope.ADMIN)
    async with service.browser() as browser:
        client = browser.client
        client.headers["Authorization"] = f"Bearer {secret}"
        made = await client.post("/v1/people", json={"email": "A@b.example", "role": "editor", "corpus": "default"})
        assert made.status_code == 201
        person = made.json()
        assert (person["email"], person["corpus_id"]) == ("a@b.example", str(corpus.id))
        changed = (await client.patch(f"/v1/people/{person['id']}", json={"role": "reader"})).json()
        assert (changed["role"], changed["corpus_id"]) == ("reader", str(corpus.id))
        assert (await client.patch(f"/v1/people/{person['id']}", json={"corpus": None})).json()["corpus_id"] is None
        assert (await client.patch(f"/v1/people/{person['id']}", json={"corpus": "no"})).status_code == 404
        assert (await client.post("/v1/people", json={"email": "no", "role": "owner"})).status_code == 422
        assert (await client.delete(f"/v1/people/{person['id']}")).status_code == 204
        assert (await client.get("/v1/people")).json()["items"] == []
    async with service.runtime.database.begin() as session:
        assert await session.get(ApiKey, UUID(person["id"])) is None


def test_an_issuer_needs_a_client_and_tls_and_keys_are_required_then(settings: Settings) -> None:
    base = settings.model_dump() | {"oidc_issuer": "https://id.example"}
    with pytest.raises(ValueError, match="CREDENCE_OIDC_CLIENT_ID"):
        Settings(**base)
    with pytest.raises(ValueError, match="https://"):
        Settings(**base | {"oidc_client_id": "x", "oidc_issuer": "http://id.example"})
    assert Settings(**base | {"oidc_client_id": "x"}).keys_required
