"""Files of this machine, beneath a folder that no link leads out of, also none that is put there after it was checked.

Linux resolves paths so by itself (`openat2`, version 5.6); elsewhere no link at all is followed. Between the folder
that the settings open and what a connector reads there is never one.
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
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS, _RESOLVE_BENEATH = 0x02, 0x04, 0x08
# Not to wait for a named pipe that somebody left in the folder.
_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_UNAVAILABLE = frozenset({errno.ENOSYS, errno.EPERM, errno.EINVAL})


class LocalFiles:
    """A file or a folder and what lies beneath it; where the settings open a folder, only in that.

    Every method raises OSError where something cannot be read or lies elsewhere.
    """

    def __init__(self, path: Path, settings: "Settings") -> None:
        self._path, self._folder = path, settings.connector_folder

    def is_folder(self) -> bool:
        try:
            with self._opened("", os.O_DIRECTORY):
                return True
        except NotADirectoryError:
            return False

    @contextmanager
    def open(self, name: str = "") -> Iterator[BinaryIO]:
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
        """The files below the folder by their paths in it, without hidden ones and links that lead out of it."""
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
        with self._itself(flags if name in {"", "."} else os.O_DIRECTORY) as root:
            if name in {"", "."}:
                yield root
                return
            with _closing(_open_beneath(root, PurePath(name), _READING | flags)) as descriptor:
                yield descriptor

    @contextmanager
    def _itself(self, flags: int) -> Iterator[int]:
        trusted, below, resolve = self._anchor()
        with (
            _closing(os.open(trusted, _READING | os.O_DIRECTORY)) as folder,
            _closing(_open_beneath(folder, below, _READING | flags, resolve)) as descriptor,
        ):
            yield descriptor

    def _anchor(self) -> tuple[Path, PurePath, int]:
        """A folder that is trusted, the path beneath it, and how that is resolved."""
        if self._folder is not None:
            return self._folder, beneath(self._path, self._folder), _RESOLVE_NO_SYMLINKS
        if self._path.is_dir():
            return self._path, PurePath(), 0
        return self._path.parent, PurePath(self._path.name), 0


def beneath(path: Path, folder: Path) -> PurePath:
    """The path in the folder, by its name alone; raises OSError where it is not in it."""
    for opened in (folder, folder.resolve()):
        if path.is_relative_to(opened) and ".." not in path.parts:
            return path.relative_to(opened)
    raise OSError(errno.EXDEV, "it is not in the folder of CREDENCE_CONNECTOR_FOLDER", str(path))


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def _open_beneath(folder: int, path: PurePath, flags: int, resolve: int = 0) -> int:
    how = _How(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS | resolve)
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
