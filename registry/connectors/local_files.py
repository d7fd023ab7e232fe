"""Files of this machine, beneath a folder that no link leads out of, also none that is put there after it was checked.

Linux resolves paths so by itself (`openat2`, version 5.6); elsewhere no link at all is followed.
"""

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from registry.platform.settings import Settings

# Of linux/openat2.h. The number of the call is the same on every architecture.
_OPENAT2 = 437
_RESOLVE_NO_MAGICLINKS, _RESOLVE_BENEATH = 0x02, 0x08
# Not to wait for a named pipe that somebody left in the folder.
_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_UNAVAILABLE = frozenset({errno.ENOSYS, errno.EPERM, errno.EINVAL})


class LocalFiles:
    """A file or a folder, one in the folder that the settings open beneath that, any other beneath itself.

    Every method raises OSError where something cannot be read or lies elsewhere.
    """

    def __init__(self, path: Path, settings: "Settings") -> None:
        self._trusted, self._beneath = _anchor(path, settings.connector_folder)

    def is_folder(self) -> bool:
        """Whether it is a folder."""
        try:
            with self._opened("", os.O_DIRECTORY):
                return True
        except NotADirectoryError:
            return False

    @contextmanager
    def open(self, name: str = "") -> Iterator[BinaryIO]:
        """The file, or the one of this name in the folder."""
        with self._opened(name) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a file")
            with open(descriptor, "rb", closefd=False) as file:
                yield file

    def version(self, name: str = "") -> str:
        """Size and time of the file: others than before where it was changed."""
        with self.open(name) as file:
            status = os.fstat(file.fileno())
        return f"{status.st_size}:{status.st_mtime_ns}"

    def names(self) -> Iterator[str]:
        """The files in the folder and those in it, by their paths in the folder; without hidden ones, and without
        links that lead out of it.
        """
        with self._opened("", os.O_DIRECTORY) as root:
            for folder, folders, files, descriptor in os.fwalk(".", dir_fd=root):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for name in sorted(name for name in files if not name.startswith(".")):
                    path = PurePath(folder, name).as_posix()
                    mode = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
                    if stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and self._is_file(path)):
                        yield path

    def _is_file(self, name: str) -> bool:
        try:
            with self.open(name):
                return True
        except OSError:
            return False

    @contextmanager
    def _opened(self, name: str, flags: int = 0) -> Iterator[int]:
        folder = os.open(self._trusted, _READING | os.O_DIRECTORY)
        try:
            descriptor = _open_beneath(folder, self._beneath / name, _READING | flags)
        finally:
            os.close(folder)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _anchor(path: Path, opened: Path | None) -> tuple[Path, PurePath]:
    """A folder that is trusted, and the path beneath it."""
    if opened is not None:
        for inside, folder in (path, opened), (path, opened.resolve()), (path.resolve(), opened.resolve()):
            if inside.is_relative_to(folder):
                return folder, inside.relative_to(folder)
    return (path, PurePath()) if path.is_dir() else (path.parent, PurePath(path.name))


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def _open_beneath(folder: int, path: PurePath, flags: int) -> int:
    how = _How(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)
    if os.uname().sysname == "Linux":
        libc = ctypes.CDLL(None, use_errno=True)
        name = os.fsencode(path)
        descriptor = libc.syscall(_OPENAT2, folder, name, ctypes.byref(how), ctypes.sizeof(how))
        if descriptor >= 0:
            return int(descriptor)
        if ctypes.get_errno() not in _UNAVAILABLE:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(path))
    return _open_without_links(folder, path, flags)


def _open_without_links(folder: int, path: PurePath, flags: int) -> int:
    """Step by step, each without following a link."""
    if ".." in path.parts or path.is_absolute():
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path))
    *folders, name = path.parts or (".",)
    at = os.dup(folder)
    try:
        for part in folders:
            inner = os.open(part, _READING | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)
