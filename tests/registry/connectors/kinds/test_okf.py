"""Bundles of the Open Knowledge Format: each source says what its footnotes stand at."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from registry.connectors.kinds.okf_concepts import concept_of, statements
from registry.corpora.model import Corpus
from registry.corpora.store.exports import export_named
from registry.platform.errors import FetchFailed
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.registry.connectors.keeping import counts, make, run, stored
from tests.tables import for_each

TABLE = """---
type: BigQuery Table
title: Orders
description: One row per order.
resource: https://console.example/orders
generated: { by: reference_agent/gemini-2.5-pro, at: 2026-06-20T22:53:05Z }
verified: { by: human:ahormati, at: 2026-06-25T09:00:00Z }
stale_after: STALE
sources:
  - id: export-schema
    resource: https://developers.example.com/schema
    author: team:docs
    usage_count: 5000
    last_modified: 2026-05-30
  - { id: policy, resource: "https://wiki.acme.org/policy" }
  - { id: unused, resource: all queries in project X }
---

# Schema

The table is sharded daily.[^export-schema]
It has two columns.

- Revenue is booked at delivery.[^policy]
- Totals are in dollars.[^policy][^export-schema]

Joined with customers.

[^export-schema]: The export schema
"""


def days_ahead(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


def write(root: Path, **files: str) -> None:
    for name, content in files.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


async def test_statements_are_of_the_sources_that_are_cited(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    root = tmp_path / "acme"
    write(
        root,
        index="# Listing",
        tables__log="# Log",
        tables__orders=TABLE.replace("STALE", days_ahead(30)),
        plain="---\ntype: Playbook\n---\nCall the team.\n",
        derived="---\ntype: Metric\nsources: [{resource: ../tables/orders.md, title: Orders}]\n---\nA sum.\n",
        loose="No front matter.\n",
    )
    connector = await make(runtime, corpus, "okf", path=str(root))
    report = await run(runtime, connector)
    assert counts(report)[0] == 5
    assert [problem.location for problem in report.problems] == ["loose.md"]
    documents = await stored(runtime)
    assert {key: document.content for key, document in documents.items()} == {
        ("reference_agent/gemini-2.5-pro", "tables/orders"): "One row per order.\n\n# Schema\n\nJoined with customers.",
        ("team:docs", "tables/orders#export-schema"): (
            "# Schema\n\nThe table is sharded daily.\nIt has two columns.\n\n- Totals are in dollars."
        ),
        ("acme.org", "tables/orders#policy"): (
            "# Schema\n\n- Revenue is booked at delivery.\n- Totals are in dollars."
        ),
        ("acme", "plain"): "Call the team.",
        ("Orders", "derived#../tables/orders.md"): "A sum.",
    }
    cited = documents["team:docs", "tables/orders#export-schema"]
    assert cited.url == "https://developers.example.com/schema"
    assert cited.published_at == datetime(2026, 5, 30, tzinfo=UTC)
    assert (cited.attributes["trust"], cited.attributes["usage_count"]) == ("human-reviewed", "5000")
    assert counts(await run(runtime, connector)) == (0, 0, 0, 0, 0)

    # What is over is gone.
    write(
        root, tables__orders=TABLE.replace("STALE", days_ahead(0)), derived="---\ntype: a\nstatus: deprecated\n---\nb"
    )
    assert counts(await run(runtime, connector)) == (0, 0, 0, 0, 4)
    everything = await make(runtime, corpus, "okf", "all", path=str(root), stale=True, source="Acme")
    assert counts(await run(runtime, everything)) == (3, 0, 0, 0, 0)


async def test_the_credibility_of_each_source_is_exported_beside_the_bundle(
    runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    write(tmp_path / "acme", orders=TABLE.replace("STALE", days_ahead(30)))
    await run(runtime, await make(runtime, corpus, "okf", path=str(tmp_path / "acme")))
    async with runtime.database.begin() as session:
        policy = await sources.find(session, corpus, "acme.org")
        await sources.set_override(session, corpus, policy.id, OverrideInput(reliability=0.9, reason="checked"), "me")
    rows = [
        row async for batch in export_named("credibility").batches(runtime.database, corpus.id, None) for row in batch
    ]
    assert {(row["concept"], row["id"], row["source_name"], row["reliability"]) for row in rows} == {
        ("orders", None, "reference_agent/gemini-2.5-pro", None),
        ("orders", "export-schema", "team:docs", None),
        ("orders", "policy", "acme.org", 0.9),
    }


@for_each(
    "text",
    ["", "# A\n---\ntype: a\n---\n", "---\ntype: a\n", "---\na: b\n---\n", "---\n- a\n---\n", "---\na: [\n---\n"],
)
def test_front_matter_has_to_be_yaml_with_a_type(text: str) -> None:
    with pytest.raises(FetchFailed):
        concept_of(text)


def test_front_matter_is_short() -> None:
    with pytest.raises(FetchFailed, match="longer"):
        concept_of(f"---\ntype: {'a' * 70_000}\n---\n")


@for_each(
    ("verified", "tier"),
    [
        ("", "unverified"),
        ("verified: {by: process:nightly, at: 2026-06-26}", "machine-confirmed"),
        ("verified: [{by: bot/1}, {by: human:a}]", "human-reviewed"),
        ("verified: yes", "unverified"),
    ],
)
def test_trust_tiers_are_those_of_the_specification(verified: str, tier: str) -> None:
    assert concept_of(f"---\ntype: a\n{verified}\n---\n").trust == tier


def test_fenced_blocks_stay_whole_and_unknown_footnotes_are_nobodys() -> None:
    body = "```\n# no heading\n\n- no item [^a]\n```\nA plain line.[^b]\n1. First.[^a]\n2. Second.\n"
    concept = concept_of(f"---\ntype: a\n---\n{body}")
    assert statements(concept, ["a", "c"]) == {
        "a": "```\n# no heading\n\n- no item\n```\n\n1. First.",
        None: "A plain line.\n\n2. Second.",
    }


def test_what_a_source_says_in_a_table_has_the_head_of_the_table() -> None:
    body = (
        "# Columns\n\n| Name | Means |\n|---|:--|\n| `id` | The order. |\n| `paid` | In dollars.[^a] |\n"
        "| `at` | In UTC.[^a] |\n\nRead on.\n\n# More\n\n| Name | Means |\n|---|:--|\n| `tax` | None.[^a] |\n"
    )
    said = statements(concept_of(f"---\ntype: a\n---\n{body}"), ["a", "b"])
    head = "| Name | Means |\n|---|:--|\n"
    assert said == {
        None: f"# Columns\n\n{head}| `id` | The order. |\n\nRead on.",
        "a": (f"# Columns\n\n{head}| `paid` | In dollars. |\n| `at` | In UTC. |\n\n# More\n\n{head}| `tax` | None. |"),
    }


@for_each(
    ("cited", "entries"),
    [
        (
            "[1] [Plan](/source/plan.pdf)\n[2] [Law](https://law.example/9) - of 2024",
            ["/source/plan.pdf", "https://law.example/9"],
        ),
        ("- https://a.example/x\n* <https://b.example/y>", ["https://a.example/x", "https://b.example/y"]),
        ("- [A](raw/a.md)", ["raw/a.md"]),
    ],
)
def test_version_1_lists_what_it_cites_at_the_end_of_the_text(cited: str, entries: list[str]) -> None:
    concept = concept_of(
        f"---\ntype: a\n---\nBackups are daily [1]. See `x[1]`.\n\nNo more.\n\n## Citations\n\n{cited}\n"
    )
    assert [each["resource"] for each in concept.entries] == entries
    said = statements(concept, [each["id"] or each["resource"] for each in concept.entries])
    # An address alone backs the concept, and does not say all of it.
    numbered = cited.startswith("[1]")
    first = "Backups are daily. See `x[1]`." if numbered else "Backups are daily [1]. See `x[1]`."
    assert said == ({"1": first, None: "No more."} if numbered else {None: f"{first}\n\nNo more."})


def test_citations_beside_sources_are_text() -> None:
    concept = concept_of(
        "---\ntype: a\nsources: [{id: s, resource: r}]\n---\nSo.\n\n# Citations\n\n- https://a.example\n"
    )
    assert statements(concept, ["s"]) == {"s": "So.\n\n# Citations\n\n- https://a.example"}
