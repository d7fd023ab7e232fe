"""`credence sources`: the whole life of a source."""

import re
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import update

from registry.corpora.model import Corpus
from registry.queries.model import Query
from registry.runtime import Runtime
from tests.api.cli.conftest import Credence
from tests.registry.world import SEA, ask_experts, build_turning, honest, liar, publish_experts, question

ESTIMATED = {"one": honest(), "the-evening-post.example": honest(), "three": liar("Aldra", "Brin", "Esk")}


def test_a_new_source_is_listed_for_persons_and_for_programs(credence: Credence) -> None:
    credence.done("sources", "add", "acme", "--name", "Acme's [bold]blog", "--url", "https://acme.example")
    listed = credence.done("sources")
    assert "Acme's [bold]blog" in listed.out
    assert "Nothing is estimated yet" in listed.out
    [row] = credence.done("sources", "--json").documents
    assert (row["external_id"], row["url"], row["status"]) == ("acme", "https://acme.example", "active")
    assert row["reliability"]["reliability"] is None


def test_names_numbers_and_bars_fit_into_80_columns(credence: Credence) -> None:
    credence.estimated(ESTIMATED)
    credence.columns = 80
    lines = credence.done("sources").out.splitlines()
    assert "id" not in lines[0].split()
    for name in ESTIMATED:
        (line,) = [line for line in lines if line.startswith(name.title())]
        assert "█" in line
        assert len(line) <= 80
    assert re.search(
        r"90 % interval: .*\nSystematic band, which allows for errors that sources share: 0\.\d\d to \d\.\d\d\.\n",
        credence.done("sources", "show", "three").out,
    )
    credence.columns = 120
    wide = credence.done("sources", "--wide").out
    assert "the-evening-post.example" in wide
    assert len(re.findall(r"\d\.\d\d-\d\.\d\d  \d\.\d\d-\d\.\d\d", wide)) == 3


def test_the_age_of_a_source_is_shown_and_whether_it_counts_as_new(credence: Credence) -> None:
    credence.estimated(ESTIMATED)
    credence.build({"late": {"Brin": "pink"}})
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    lines = {line.split()[0]: line for line in credence.done("sources", "--wide").out.splitlines()}
    assert all(today in lines[name] for name in ("One", "Three", "Late"))
    assert {name for name, line in lines.items() if line.rstrip().endswith("new")} == {"Late"}
    assert f"Registered {today}; counts as new." in credence.done("sources", "show", "late").out
    assert f"Registered {today}.\n" in credence.done("sources", "show", "one").out
    assert "Late (new)" in credence.done("ask", question("Brin")).out


def test_an_empty_list_says_what_to_do(credence: Credence) -> None:
    assert "credence sources add" in credence.done("sources").out
    assert credence.done("sources", "list", "--json").out == ""


def test_a_source_is_changed_paused_resumed_and_retired(credence: Credence) -> None:
    output = credence.done("sources", "add", "acme", "--json").document
    assert output["name"] == "acme"
    assert credence.done("sources", "update", "acme", "--name", "Acme", "--json").document["name"] == "Acme"
    assert credence.done("sources", "pause", output["id"], "--json").document["status"] == "paused"
    assert credence.done("sources", "resume", "acme", "--json").document["status"] == "active"
    assert credence.done("sources", "retire", "acme", "--json").document["status"] == "retired"
    assert credence.done("sources", "list", "--status", "active", "--json").out == ""
    assert "retired" in credence.done("sources").out


def test_an_override_counts_until_it_is_taken_back(credence: Credence) -> None:
    credence.done("sources", "add", "acme")
    output = credence.done("sources", "override", "acme", "0.2", "--reason", "Hacked in March", "--json").document
    assert (output["reliability"], output["reason"]) == (0.2, "Hacked in March")
    shown = credence.done("sources", "show", "acme", "--json").document
    assert shown["reliability"]["reliability"] == 0.2
    assert "Hacked in March" in credence.done("sources", "show", "acme").out
    credence.done("sources", "unoverride", "acme")
    assert credence.done("sources", "show", "acme", "--json").document["reliability"]["reliability"] is None


def test_a_deletion_asks_first(credence: Credence) -> None:
    credence.done("sources", "add", "acme")
    assert credence("sources", "delete", "acme", stdin="n\n").status == 1
    assert len(credence.done("sources", "--json").documents) == 1
    credence.done("sources", "delete", "acme", "--yes")
    assert credence.done("sources", "--json").out == ""


def test_reliabilities_are_listed_most_reliable_first_with_their_history(credence: Credence) -> None:
    credence.estimated(ESTIMATED)
    names = [line.split()[0] for line in credence.done("sources").out.splitlines() if "█" in line]
    assert set(names) == {"One", "The-Evening-Post.Example", "Three"}
    assert names[2] == "Three"
    shown = credence.done("sources", "show", "three", "--json").document
    assert [item["vote_count"] for item in shown["history"]] == [6]
    assert shown["reliability"]["reliability"] == shown["history"][0]["reliability"]


def test_options_before_the_subcommand_hold_for_it(credence: Credence) -> None:
    credence.done("corpora", "add", "other")
    credence.done("sources", "--corpus", "other", "add", "acme")
    assert credence.done("sources", "--json").out == ""
    [row] = credence.done("sources", "--corpus", "other", "--json", "list").documents
    assert row["external_id"] == "acme"


def test_text_from_outside_cannot_steer_the_terminal(credence: Credence) -> None:
    credence.done("sources", "add", "acme", "--description", "evil\x1b[2J\x07\u202eeman")
    shown = credence.done("sources", "show", "acme").out
    assert "evil" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_source_that_turned_is_an_alarm(credence: Credence) -> None:
    credence.with_runtime(build_turning)
    assert "Alarm: Turncoat turned: 0.9" in credence.done("estimate").out
    listed = credence.done("sources").out
    assert listed.count("turned:") == 1
    shown = credence.done("sources", "show", "turncoat").out
    assert "Alarm: Turncoat turned" in shown
    assert "2026-01-01 to 2026-01-16: 0.9" in shown
    credence.done("sources", "override", "turncoat", "0.3", "--reason", "New owner")
    assert "Alarm" not in credence.done("sources", "show", "turncoat").out


def test_a_rating_counts_until_it_is_deleted(credence: Credence) -> None:
    credence.done("sources", "add", "acme")
    output = credence.done("sources", "rate", "acme", "0.8", "--origin", "Media list", "--json").document
    assert (output["rating"], output["strength"], output["origin"]) == (0.8, 10, "Media list")
    assert "Rated 0.80" in credence.done("sources", "show", "acme").out
    assert "rated 0.80" in credence.done("sources").out
    assert "7 votes" in credence.done("sources", "rate", "acme", "0.3", "--origin", "List", "--strength", "7").out
    credence.done("sources", "unrate", "acme")
    assert credence.done("sources", "show", "acme", "--json").document["reliability"]["rating"] is None
    assert "rating of source" in credence.refused("sources", "unrate", "acme")


def test_ratings_are_imported_from_csv_and_ndjson_and_bad_lines_are_named(credence: Credence, tmp_path: Path) -> None:
    for name in ("acme", "17", "herald"):
        credence.done("sources", "add", name)
    table = tmp_path / "list.csv"
    table.write_text(
        "\ufeffexternal_id,rating,strength,origin\n"
        'acme,0.4,,"Media list, 2026"\n'
        "17,0.9,25,Media list\n"
        "nobody,0.9,25,Media list\n"
        "herald,high,25,Media list\n"
        "herald,1.5,25,Media list\n"
        "herald,0.5,25,Media list,surplus\n",
        encoding="utf-8",
    )
    rows = tmp_path / "list.ndjson"
    rows.write_text('{"external_id": "herald", "rating": 0.7, "origin": "Other list"}\n', encoding="utf-8")
    result = credence("sources", "import-ratings", str(table), str(rows))
    assert result.status == 1
    assert "3 created, 0 updated, 0 unchanged, 4 rejected." in result.out
    assert all(f"list.csv:{line}" in result.err for line in (4, 5, 6, 7))
    ratings = {row["external_id"]: row["reliability"]["rating"] for row in credence.done("sources", "--json").documents}
    assert (ratings["acme"]["rating"], ratings["acme"]["strength"]) == (0.4, 10)
    assert (ratings["17"]["rating"], ratings["17"]["strength"]) == (0.9, 25)
    assert (ratings["herald"]["rating"], ratings["herald"]["origin"]) == (0.7, "Other list")


def test_a_table_that_is_no_csv_is_refused(credence: Credence, tmp_path: Path) -> None:
    table = tmp_path / "list.csv"
    table.write_bytes(b'external_id,rating\n"acme,0.4\n')
    result = credence("sources", "import-ratings", str(table))
    assert result.status == 1
    assert "Not read" in result.err


def test_lines_of_csv_keep_their_numbers(credence: Credence, tmp_path: Path) -> None:
    credence.done("sources", "add", "acme")
    table = tmp_path / "list.csv"
    table.write_text('external_id,rating,origin\n\nacme,0.4,"Media\nlist"\n\nnobody,0.4,List\n', encoding="utf-8")
    result = credence("sources", "import-ratings", str(table))
    assert "1 created, 0 updated, 0 unchanged, 1 rejected." in result.out
    assert "list.csv:6" in result.err


def test_labels_of_topics_are_shown_as_they_are_and_steer_no_terminal(credence: Credence) -> None:
    async def prepare(runtime: Runtime, corpus: Corpus) -> None:
        await publish_experts(runtime, corpus)
        await ask_experts(runtime, corpus, given=True)
        rename = update(Query).where(Query.topic == SEA).values(topic="[bold]sea\x1b[31m")
        async with runtime.database.begin() as session:
            await session.execute(rename)

    credence.with_runtime(prepare)
    outputs = [
        credence.done("estimate").out,
        credence.done("sources").out,
        credence.done("sources", "show", "anchor").out,
        credence.done("ask", "What colour is the tower of Harbourlight painted?").out,
    ]
    for output in outputs:
        assert "[bold]sea" in output
        assert "\x1b" not in output
