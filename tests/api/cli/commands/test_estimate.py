"""`credence estimate` and `credence estimations`."""

import asyncio
import os
import re
import signal
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy.engine import URL

from answering.readers import ReaderKind, Reading
from estimator.distributed import write_votes
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.platform.database.engine import libpq_url
from registry.runtime import Runtime
from tests.api.cli.conftest import Credence
from tests.eventually import eventually
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.dissenting import dissenting
from tests.registry.world import TOWERS, colour_reader, honest, liar, question


@pytest.fixture
def world(credence: Credence) -> Credence:
    """Two honest sources and one that lies about half the towers."""
    credence.build({"one": honest(), "two": honest(), "three": liar("Aldra", "Brin", "Esk")}, TOWERS)
    return credence


def interrupted_reader(times: int, until: Callable[[], object]) -> ScriptedReader:
    """With its first reading somebody presses Ctrl-C so many times, half a second apart; all readings wait `until`."""

    class Interrupted(ScriptedReader):
        async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
            if not self.calls:
                for press in range(times):
                    asyncio.get_running_loop().call_later(press / 2, os.kill, os.getpid(), signal.SIGINT)
            reading = await super().read(question, passages, contexts)
            await eventually(until)
            return reading

    return Interrupted(colour_reader().reply)


async def runs(runtime: Runtime, corpus: Corpus) -> list[EstimationRun]:
    async with runtime.database.begin() as session:
        page = await estimations.page(session, corpus, cursor=None, limit=10)
    return list(page.items)


def test_reliabilities_are_estimated_and_printed(world: Credence) -> None:
    result = world.done("estimate")
    lines = {line.split()[0]: line.split() for line in result.out.splitlines() if "█" in line}
    output = {name: (float(line[2]), *map(float, line[3].split("-"))) for name, line in lines.items()}
    assert output.keys() == {"One", "Two", "Three"}
    assert all(lower < estimate < upper for estimate, lower, upper in output.values())
    assert output["One"][0] > 0.75 > output["Three"][0]
    assert "18 votes of 3 sources on 6 queries; one_coin ended after" in result.out
    assert "one_coin: " in result.out
    assert "no copies found" in result.out
    assert "18 readings made" in result.out
    width, expected = re.findall(
        r"90 % intervals are (0\.\d+) wide .* 20 more queries would make that (0\.\d+)", result.out
    )[0]
    assert 0 < float(expected) < float(width) < 1
    assert "The widest are those of" in result.out
    assert "About 18 readings for 6 queries." in result.err
    assert "6 of 6 queries read, 18 votes" in result.err


def test_the_first_interrupt_cancels_and_keeps_the_readings(world: Credence, database_url: URL) -> None:
    def cancel_requested() -> bool:
        with psycopg.connect(libpq_url(database_url)) as connection:
            return connection.execute("SELECT FROM estimations WHERE cancel_requested").rowcount == 1

    world.reader = interrupted_reader(1, until=cancel_requested)
    result = world("estimate")
    assert result.status == 1
    assert "Stopping; readings are kept" in result.err
    assert "was cancelled" in result.err
    [run] = world.with_runtime(runs)
    assert run.status == "cancelled"
    assert run.queries_collected <= 4


def test_the_second_interrupt_leaves_at_once_and_says_how_to_go_on(world: Credence) -> None:
    world.reader = interrupted_reader(2, until=lambda: False)
    result = world("estimate")
    assert result.status == 1
    assert "The next estimation, or a worker, continues from here" in result.err
    [run] = world.with_runtime(runs)
    assert run.status == "running"


def test_without_queries_sources_or_reader_it_says_what_to_do(credence: Credence) -> None:
    assert "at least 3 sources state, and 0 of" in credence.refused("estimate")
    credence.done("corpora", "update", "default", "--no-generate-queries")
    assert "no active queries" in credence.refused("estimate")
    credence.done("queries", "add", "Which?", "--id", "q")
    assert "no active sources" in credence.refused("estimate")
    credence.reader = None
    credence.settings = credence.settings.model_copy(update={"reader": ReaderKind("none")})
    assert "CREDENCE_READER" in credence.refused("estimate")
    assert "CREDENCE_READER" in credence.refused("estimate", "--detach")


def test_joint_dissent_is_shown_with_its_queries(world: Credence) -> None:
    run_id = world.done("estimate", "--json").document["id"]

    async def dissent(runtime: Runtime, corpus: Corpus) -> None:
        (run,) = await runs(runtime, corpus)
        await dissenting(runtime, run, {"One": "One", "Three": "Three"}, {"Aldra": "red", "Brin": "purple"})

    world.with_runtime(dissent)
    shown = world.done("estimations", "show", run_id).out
    line = "Joint dissent: One, Three. They agree with each other and against the others on 2 queries (log odds 46.0), "
    assert f"{line}and count as one there: {question('Aldra')} (red); {question('Brin')} (purple)." in shown
    listed = world.done("sources").out.splitlines()
    assert {line.split()[0] for line in listed if "joint dissent 1" in line} == {"One", "Three"}
    answer = world.done("ask", question("Corvo")).out
    assert "One (joint dissent 1)" in answer
    assert "2 of 3 sources that say “green” agree with each other and against the others on 2 queries" in answer


def test_an_earlier_run_is_compared_and_made_current(world: Credence) -> None:
    world.done("estimate", "--method", "majority")
    world.done("estimate")
    shown = world.done("estimations", "diff", "1", "2").out
    assert "The method changed, so this is no change of the sources." in shown
    assert "method: majority, then one_coin" in shown
    assert {"One", "Two", "Three"} <= {line.split()[0] for line in shown.splitlines() if line.split()}
    assert "no estimation" in world.refused("estimations", "diff", "1", "3").lower()
    world.done("estimations", "name", "1", "before")
    made = world.done("estimations", "make-current", "1", "--yes")
    assert "no change of the sources" in made.err
    assert "`credence estimations make-current 2` undoes it" in made.out
    assert [(run["name"], run["current"]) for run in world.done("estimations", "--json").documents] == [
        ("before", True),
        (None, False),
    ]


def test_a_database_that_is_gone_is_said_with_the_reason(world: Credence) -> None:
    nowhere = SecretStr("postgresql://nobody@127.0.0.1:1/nothing")
    world.settings = world.settings.model_copy(update={"database_url": nowhere})
    for command in ("sources", "estimate"):
        result = world.refused(command)
        assert "The database does not answer" in result
        assert "Connection refused" in result


def test_files_of_votes_are_estimated_without_a_corpus(credence: Credence, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="votes in Parquet files need the extra `parquet`")
    for number in range(2):
        queries = [f"q{number}"] * 3
        write_votes(str(tmp_path / f"{number}.parquet"), [(queries, ["a", "b", "c"], ["Oslo", "Oslo", "Rome"])])
    done = credence.done("estimate", "--votes", str(tmp_path), "--method", "majority", "--json")
    assert (done.document["method"], done.document["votes"], done.document["queries"]) == ("majority", 6, 2)
    rows = [(row["source"], row["reliability"], row["vote_count"]) for row in done.document["sources"]]
    assert rows == [("a", 1.0, 2), ("b", 1.0, 2), ("c", 0.0, 2)]
    files = [str(path) for path in sorted(tmp_path.glob("*.parquet"))]
    credence.done("estimate", "--votes", *files, "-o", str(tmp_path / "sources.parquet"))
    written = parquet.read_table(tmp_path / "sources.parquet")
    named = ["source", "reliability", "lower", "upper", "weight", "vote_count", "group", "systematic"]
    assert (written.num_rows, written.column_names) == (3, named)
    answers = str(tmp_path / "answers.parquet")
    printed = credence.done("estimate", "--votes", *files, "--answers", answers).out
    assert "6 votes of 3 sources on 2 queries" in printed
    assert answers in printed.replace("\n", "")
    table = parquet.read_table(answers)
    assert (table["query"].to_pylist(), table["answer"].to_pylist()) == (["q0", "q1"], ["Oslo", "Oslo"])
    by_paper, by_name = (
        credence.done("estimate", "--votes", *files, *options, "--json").document
        for options in (("--paper",), ("--method", "iwmv"))
    )
    assert by_paper == by_name
    assert "leave out --topics." in credence.refused("estimate", "--votes", *files, "--paper", "--topics", "2")
    assert "There is no file" in credence.refused("estimate", "--votes", str(tmp_path / "*.arrow"))
    assert "name it *.parquet" in credence.refused("estimate", "--votes", *files, "-o", "sources.txt")
    assert "holds votes" in credence.refused("estimate", "--votes", *files, "--answers", files[0])
    assert "There is no folder" in credence.refused("estimate", "--votes", *files, "--answers", "none/a.parquet")
    assert "--votes" in credence.refused("estimate", *files)
    assert "leave out --topics, --use-gold" in credence.refused(
        "estimate", "--votes", *files, "--use-gold", "--topics", "2"
    )
    if find_spec("ray") is None:
        assert "'credence-registry[ray]'" in credence.refused("estimate", "--votes", *files, "--engine", "ray")


def test_a_detached_estimation_waits_for_a_worker_or_for_the_next_command(world: Credence) -> None:
    queued = world.done("estimate", "--detach", "--method", "iwmv", "--labels", "5", "--json").document
    assert queued["status"] == "queued"
    assert "queued" in world.done("estimations").out
    result = world.done("estimate", "--json")
    assert f"Continuing the estimation {queued['id']}" in result.err
    assert result.document["id"] == queued["id"]
    assert result.document["outcome"]["labels"] == 5
