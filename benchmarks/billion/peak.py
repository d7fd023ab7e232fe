"""The memory of a process and of all that it started."""

import contextlib
import threading
from types import TracebackType
from typing import Final, Self

import psutil

_SECONDS: Final = 0.5
GIB: Final = 2**30


class PeakMemory:
    """Within its block, looks at the proportional set sizes of a process and all below it twice a second."""

    def __init__(self, pid: int) -> None:
        self.bytes = 0
        """The largest sum so far."""
        self._process, self._ended = psutil.Process(pid), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_SECONDS):
            with contextlib.suppress(psutil.Error):
                family = [self._process, *self._process.children(recursive=True)]
                self.bytes = max(self.bytes, sum(map(_proportional_bytes, family)))


def _proportional_bytes(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_full_info().pss)
    return 0
