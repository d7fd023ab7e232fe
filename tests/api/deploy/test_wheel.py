"""The wheel holds whatever the packages hold: modules, models, templates, and the examples of deployment."""

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = ("estimator", "answering", "registry", "migrations", "api")
# The step of a build that chooses the files; to compress them takes seconds more.
BUILD = "import sys; from setuptools import setup; setup(script_args=['build_py', '--build-lib', sys.argv[1]])"
# The first that reads the license as the standard has it.
OLDEST_SETUPTOOLS = 77


def require_setuptools() -> None:
    """Skip the test where no wheel can be built."""
    try:
        found = version("setuptools")
    except PackageNotFoundError:
        pytest.skip("setuptools is not installed")
    if int(found.partition(".")[0]) < OLDEST_SETUPTOOLS:
        pytest.skip(f"setuptools {found} is older than {OLDEST_SETUPTOOLS}")


def files_of(root: Path) -> set[str]:
    """The files of all packages below a folder, but for hidden ones and what Python compiled."""
    paths = (path for package in PACKAGES for path in (root / package).rglob("[!.]*"))
    return {path.relative_to(root).as_posix() for path in paths if path.is_file() and "__pycache__" not in path.parts}


def test_the_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    require_setuptools()
    source, built = tmp_path / "source", tmp_path / "built"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(built)], cwd=source, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert files_of(built) == files_of(ROOT)
    assert {path.name for path in built.iterdir()} == set(PACKAGES)
