"""Input that is made to harm: imports that burst, hostile documents, clients that send nothing."""

import asyncio
import json
import random
import zlib
from collections.abc import AsyncIterator

from benchmarks.drill.service import Liveness, Promise, Service
from benchmarks.harness.service import CORPUS, ndjson
from registry.platform.concurrency import in_background

LIVEZ_SECONDS = 0.5
SILENT_SECONDS = 30.0
MIB = 2**20
GOOD = json.dumps({"source": "Bombs", "external_id": "good", "content": "The tower is red."}).encode() + b"\n"
GZIPPED = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
DOCUMENTS_A_REQUEST = 250
FRAGMENTS = (
    *(
        "<div>" * 400,
        "</p>" * 200,
        "<table><tr><td>",
        "<!-- ",
        "<![CDATA[",
        "<script>alert(1)</script>",
        "<svg><style>",
    ),
    *("&#x0;&#xFFFFFFFF;&nbsp", "&" * 500, '<a href="javascript:alert(1)">', "<meta charset=utf-7>", "<\x0b\x1f\x7f>"),
    *("# " * 300, "[" * 600, "![](" * 200, "```", "| a " * 200, "> " * 500, "* " * 300, "\r\r\n\u2028\u2029"),
    *(
        "\u202e\u2066",
        "\ufeff\ufffe",
        "é" * 50,
        "漢字" * 80,
        "👩‍👩‍👧" * 30,
        "a" * 5_000,
        " " * 2_000,
        "The tower of Esk is painted red.",
    ),
)


async def bombs(service: Service, mebibytes: int) -> tuple[list[Promise], float]:
    """Imports that unpack to `mebibytes`; also returns the longest that `/livez` took during one."""
    losses, longest = 0, 0.0
    texts = {
        "rejected lines": b"x\n",
        "blank lines": b"\n",
        "one line": b"x",
        "zeros": b"\0",
        "gzip in gzip": _packed(),
    }
    async with service.client() as client:
        for name, repeated in texts.items():
            liveness = Liveness()
            size = mebibytes if name in {"one line", "zeros"} else max(8, mebibytes // 64)
            async with in_background(liveness.watch(client)):
                content = _bomb(repeated, size)
                answer = await client.post(f"{CORPUS}/documents:import", content=content, headers=GZIPPED, timeout=600)
            longest = max(longest, liveness.longest)
            told = answer.status_code in {200, 413} and len(answer.content) < 10 * MIB
            losses += not told or liveness.longest > LIVEZ_SECONDS or liveness.failures > 0
        documents = (await client.get(f"{CORPUS}/sources/Bombs/documents")).json()["items"]
    kept = [document["external_id"] for document in documents]
    worst = f"/livez {longest:.2f} s"
    return [
        Promise("an import that bursts ends with a word, and others are served", len(texts), losses, worst),
        Promise("what was good before an import burst stays", 1, int(kept != ["good"])),
    ], longest


async def _bomb(repeated: bytes, mebibytes: int) -> AsyncIterator[bytes]:
    """A good line, then a text over and over, as gzip."""
    packer = zlib.compressobj(wbits=31)
    block = repeated * (MIB // len(repeated))
    yield packer.compress(GOOD)
    for _ in range(mebibytes):
        if packed := await asyncio.to_thread(packer.compress, block):
            yield packed
    yield packer.flush()


def _packed() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(b"\n" * MIB) + packer.flush()


async def hostile_documents(service: Service, count: int) -> list[Promise]:
    """Documents of random fragments of broken HTML, Markdown and text: each gets a result of its own."""
    generator = random.Random(1)
    results, failures = 0, 0
    async with service.client() as client:
        for first in range(0, count, DOCUMENTS_A_REQUEST):
            numbers = range(first, min(count, first + DOCUMENTS_A_REQUEST))
            lines = [_hostile(generator, number) for number in numbers]
            answer = await client.post(f"{CORPUS}/documents:import", **ndjson(lines), timeout=600)
            failures += answer.status_code >= 500
            results += sum("external_id" in json.loads(line) for line in answer.text.splitlines())
    return [Promise("every hostile document has a result, none is a fault", count, count - results + failures)]


def _hostile(generator: random.Random, number: int) -> dict[str, str]:
    kind = generator.choice(["text/html", "text/markdown", "text/plain"])
    text = "".join(generator.choices(FRAGMENTS, k=generator.randint(1, 8)))
    if generator.random() < 0.2:
        text = text.encode("utf-16", "surrogatepass").decode("latin-1")
    return {"source": "Hostile", "external_id": f"hostile-{number}", "media_type": kind, "content": text}


async def silent_clients(service: Service, count: int) -> list[Promise]:
    """Connections that send half of a request: all are closed, others are served meanwhile."""
    host, _, port = service.url.removeprefix("http://").partition(":")
    liveness = Liveness()

    async def stays_open() -> bool:
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /v1/corpora/default/answers HTTP/1.1\r\nHost: x\r\nContent-")
        try:
            async with asyncio.timeout(SILENT_SECONDS):
                while await reader.read(65_536):
                    pass
        except TimeoutError:
            return True
        except ConnectionError:
            pass
        finally:
            writer.close()
        return False

    async with service.client() as client, in_background(liveness.watch(client)):
        opened = await asyncio.gather(*(stays_open() for _ in range(count)))
    worst = f"/livez {liveness.longest:.2f} s"
    losses = sum(opened) + liveness.failures
    return [Promise("a connection that sends half of a request is closed within 30 s", count, losses, worst)]
