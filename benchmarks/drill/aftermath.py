"""Attacks that outlive a process or a database: kills, clocks, backups of strangers, and what is stored or swapped."""

import asyncio
import hashlib
import signal
import subprocess
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import psycopg

from benchmarks.drill.attacks import Attack, Stage
from benchmarks.drill.service import question
from benchmarks.harness.service import CORPUS, credence
from registry.jobs.scheduler import CLOCK_STEP
from registry.platform.database import embedded
from registry.platform.database.backup import MANIFEST, Manifest

QUERIES = 8
TICKS = (
    "INSERT INTO schedule_ticks (schedule_id, due_at)"
    " SELECT %s, %s + n * interval '1 minute' FROM generate_series(1, 60) AS n"
)
FUTURE = "SELECT count(*) FROM schedule_ticks WHERE due_at > now()"
VIEW = """
    CREATE FUNCTION f() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN {program}; END $$; CREATE VIEW spy AS SELECT f()
"""
WAIT_SECONDS = 60.0
SWAPS = 20


async def stored_responses(stage: Stage) -> Attack:
    """Responses to strangers, each with a key for idempotency, that are stored."""
    async with stage.service.client() as client:
        for number in range(SWAPS):
            headers = {"Idempotency-Key": f"stranger {number}"}
            await client.post("/sign-in", data={"key": "none"}, headers=headers)
            await client.post(f"{CORPUS}/sources", json={"name": "x"}, headers=headers)
    through = await asyncio.to_thread(_number, stage, "SELECT count(*) FROM idempotent_requests")
    return Attack("responses to strangers stored by an Idempotency-Key", "77 a second", 2 * SWAPS, through)


async def verdicts_of_others(stage: Stage) -> Attack:
    """What a key that may ingest, bound to no source, deletes, undoes and switches off."""
    made = await stage.owner.post(f"{CORPUS}/keys", json={"name": "feed", "scopes": ["ingest", "read"]})
    query = (await stage.owner.post(f"{CORPUS}/queries", json={"text": question(0)})).raise_for_status().json()["id"]
    gold = f"{CORPUS}/queries/{query}/gold"
    entry = (await stage.owner.post(gold, json={"answers": ["red"]})).raise_for_status().json()["entry"]["id"]
    join = {"question": question(0), "answers": ["red", "crimson"]}
    joined = (await stage.owner.post(f"{CORPUS}/joined-answers", json=join)).raise_for_status().json()["id"]
    requests = [
        ("DELETE", f"{CORPUS}/votes?query={query}", None),
        ("DELETE", f"{CORPUS}/joined-answers/{joined}", None),
        ("POST", gold, {"answers": ["black"], "replace": True}),
        ("POST", f"{gold}/{entry}:undo", {}),
        ("PATCH", f"{CORPUS}/queries/{query}", {"active": False}),
        ("DELETE", f"{CORPUS}/queries/{query}", None),
    ]
    async with stage.service.client() as client:
        client.headers["Authorization"] = f"Bearer {made.raise_for_status().json()['secret']}"
        statuses = [(await client.request(how, at, json=body)).status_code for how, at, body in requests]
    through = sum(status != 403 for status in statuses)
    return Attack("votes, queries, right answers and joins of others changed by ingest", "all done", 6, through)


async def swapped_tables(stage: Stage) -> Attack:
    """A table becomes a link to one outside while the connector reads."""
    table, kept, outside = (stage.folder / name for name in ("table.csv", "kept.csv", "../outside.csv"))
    for path, text in (table, "inside"), (outside, "hidden outside"):
        path.write_text(f"source,external_id,content\nTable,1,The tower is {text}.\n", encoding="utf-8")
    body = {"name": "table", "kind": "table", "config": {"path": str(table)}}
    made = await stage.owner.post(f"{CORPUS}/connectors", json=body)
    at = made.raise_for_status().headers["location"]
    for _ in range(SWAPS):
        (await stage.owner.post(f"{at}:run")).raise_for_status()
        while (await stage.owner.get(at)).json()["status"] in {"queued", "running"}:
            table.rename(kept)
            table.symlink_to(outside)
            await asyncio.sleep(0.002)
            table.unlink()
            kept.rename(table)
            await asyncio.sleep(0.002)
    found = await stage.owner.post(f"{CORPUS}/search", json={"query": "hidden outside", "limit": 50})
    through = found.text.count("hidden outside.")
    return Attack("a table swapped for a link while it is read", "read outside", SWAPS, through)


async def clock_set_back(stage: Stage) -> Attack:
    """Due times that a scheduler took by a clock an hour ahead, before it ended."""
    values = {"name": "minutes", "cron": "* * * * *", "enabled": False}
    schedule = (await stage.owner.post(f"{CORPUS}/schedules", json=values)).raise_for_status().json()["id"]
    await stage.service.stop()
    begin = datetime.now(UTC).replace(second=0, microsecond=0) + CLOCK_STEP + timedelta(minutes=1)
    await asyncio.to_thread(_execute, stage, TICKS, schedule, begin)
    await stage.service.start()
    through = 60
    for _ in range(100):
        if not through:
            break
        await asyncio.sleep(0.1)
        through = await asyncio.to_thread(_number, stage, FUTURE)
    return Attack("runs that a clock set back over a restart keeps from beginning", "595", 60, through)


async def deadly_jobs(stage: Stage) -> Attack:
    """A run whose process ends twice is tried no third time, and the next one goes on."""
    for number in range(1, QUERIES + 1):
        (await stage.owner.post(f"{CORPUS}/queries", json={"text": question(number)})).raise_for_status()
    run = await _begin(stage.owner)
    for times in (1, 2):
        await _until_begun(stage, times)
        await stage.service.stop(signal.SIGKILL)
        await stage.service.start()
    ended = await _until(stage.owner, run, {"succeeded", "failed"})
    after = await _until(stage.owner, await _begin(stage.owner), {"succeeded", "failed"})
    through = int("ended twice" not in str(ended["problem"])) + int(after["status"] != "succeeded")
    return Attack("a job that ended its process twice begun again, or in the way of others", "without end", 2, through)


async def _begin(client: httpx.AsyncClient) -> str:
    return str((await client.post(f"{CORPUS}/estimations", json={})).raise_for_status().headers["location"])


async def _until(client: httpx.AsyncClient, run: str, statuses: set[str]) -> dict[str, object]:
    async with asyncio.timeout(WAIT_SECONDS):
        while (shown := (await client.get(run)).json())["status"] not in statuses:  # noqa: ASYNC110  (another process ends it)
            await asyncio.sleep(0.1)
    return dict(shown)


async def _until_begun(stage: Stage, times: int) -> None:
    """Wait until that many workers, one after the other, have begun the run."""
    begun = "SELECT coalesce(max(times), 0) FROM begun_jobs WHERE name = 'estimate'"
    async with asyncio.timeout(WAIT_SECONDS):
        while (await asyncio.to_thread(_number, stage, begun)) < times:  # noqa: ASYNC110  (another process begins it)
            await asyncio.sleep(0.05)


async def strange_backups(stage: Stage) -> Attack:
    """A backup with a statement that runs a program, as rows and as a table; and one whose schedules go on."""
    return await asyncio.to_thread(_strange_backups, stage)


def _strange_backups(stage: Stage) -> Attack:
    trace, whole, forged = (stage.folder.parent / name for name in ("trace", "whole.backup", "forged.backup"))
    program = f"COPY (SELECT 1) TO PROGRAM 'touch {trace}'"
    _run(stage.service.environment, "sources", "add", f"'; {program}; --")
    _run(stage.service.environment, "schedules", "add", "hourly", "0 * * * *")
    _run(stage.service.environment, "backup", str(whole))
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(forged, "w") as written:
        manifest = Manifest.model_validate_json(read.read(MANIFEST))
        view = VIEW.format(program=program).encode()
        sources = manifest.tables["public.sources"]
        manifest.tables["public.spy"] = sources.model_copy(update={"sha256": hashlib.sha256(view).hexdigest()})
        for name in read.namelist():
            written.writestr(name, manifest.model_dump_json() if name == MANIFEST else read.read(name))
        written.writestr("public.spy", view)
    through = 0
    for number, (file, is_forged) in enumerate(((forged, True), (whole, False))):
        elsewhere = stage.service.environment | {"CREDENCE_DATA_DIR": str(stage.folder.parent / f"elsewhere-{number}")}
        is_restored = _run(elsewhere, "restore", str(file)) is not None
        through += is_restored is is_forged
        if is_restored:
            listed = _run(elsewhere, "schedules", "--json")
            through += listed is None or '"enabled":true' in listed.replace(" ", "")
    through += trace.exists()
    return Attack("a stranger's backup that runs a program or leaves schedules on", "ran as superuser", 3, through)


def _run(environment: dict[str, str], *arguments: str) -> str | None:
    """What a command writes; None where it is refused."""
    done = subprocess.run([*credence(), *arguments], env=environment, capture_output=True, check=False, text=True)
    return None if done.returncode else done.stdout


def _url(stage: Stage) -> str:
    return embedded.start(Path(stage.service.data_dir))


def _number(stage: Stage, statement: str) -> int:
    with psycopg.connect(_url(stage)) as connection:
        (number,) = connection.execute(statement.encode()).fetchone() or (0,)
        return int(number)


def _execute(stage: Stage, statement: str, *values: object) -> None:
    with psycopg.connect(_url(stage)) as connection:
        connection.execute(statement.encode(), values)


AFTERMATH = (stored_responses, verdicts_of_others, swapped_tables, deadly_jobs, clock_set_back, strange_backups)
