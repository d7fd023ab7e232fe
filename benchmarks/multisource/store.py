"""What was measured, kept between runs: harvests as files, rows appended to a file of JSON lines."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.multisource import harvest as harvests
from benchmarks.multisource.harvest import Harvest
from benchmarks.multisource.score import Row, rows
from benchmarks.multisource.synthetic import World

ROWS = "results.jsonl"


class Store:
    """A folder; what lies in it is not measured again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, world: World, reader: str) -> Path:
        """Where the harvest of a world, as this reader reads it, lies or will lie."""
        known = hashlib.sha256(f"{reader}:{world.digest()}".encode()).hexdigest()[:12]
        return self._folder / "harvests" / f"{world.setting.name}-{world.seed}-{known}.json.gz"

    def known(self, world: World, reader: str) -> bool:
        """Whether that world has been run."""
        return self.path(world, reader).exists()

    def keep(self, world: World, found: Harvest) -> None:
        """Append the rows of a harvest, then write it down: whoever finds it finds its rows."""
        self.append(rows(found))
        harvests.save(found, self.path(world, found.reader))

    def rescore(self) -> None:
        """Make all rows anew from the harvests, after a method was added or mended; times stand in no harvest."""
        times = [row for row in self.rows() if row["part"] == "seconds"]
        self._file.unlink(missing_ok=True)
        self.append(times)
        for found in self.harvests():
            self.append(rows(found))

    def harvests(self) -> Iterator[Harvest]:
        """Every harvest, by name."""
        return map(harvests.load, sorted((self._folder / "harvests").glob("*.json.gz")))

    def rows(self) -> list[Row]:
        """Every row, of rows for the same thing the last."""
        if not self._file.exists():
            return []
        found = map(json.loads, self._file.read_text("utf-8").splitlines())
        names = ("setting", "seed", "reader", "panel", "method", "part", "queries")
        return list({tuple(row.get(name) for name in names): row for row in found}.values())

    def append(self, found: Iterable[Row]) -> None:
        """Add rows at the end of the file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in found)

    @property
    def _file(self) -> Path:
        return self._folder / ROWS
