"""Results kept between runs: records as files, rows appended to a file of JSON lines."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.multisource import record as records
from benchmarks.multisource.record import CorpusRecord
from benchmarks.multisource.score import Row, rows
from benchmarks.multisource.synthetic import SyntheticCorpus

ROWS = "results.jsonl"


class Store:
    """A folder of results, which are not measured again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, corpus: SyntheticCorpus, reader: str) -> Path:
        """The file of the record of a corpus with this reader."""
        digest = hashlib.sha256(f"{reader}:{corpus.digest()}".encode()).hexdigest()[:12]
        return self._folder / "records" / f"{corpus.setting.name}-{corpus.seed}-{digest}.json.gz"

    def contains(self, corpus: SyntheticCorpus, reader: str) -> bool:
        """Whether the corpus has a record with this reader."""
        return self.path(corpus, reader).exists()

    def add(self, corpus: SyntheticCorpus, record: CorpusRecord) -> None:
        """Append the rows of a record, then write it, so that a written record has its rows."""
        self.append(rows(record))
        records.save(record, self.path(corpus, record.reader))

    def rescore(self) -> None:
        """Compute all rows anew from the records; rows of times, which are in no record, stay."""
        times = [row for row in self.rows() if row["part"] == "seconds"]
        self._file.unlink(missing_ok=True)
        self.append(times)
        for record in self.records():
            self.append(rows(record))

    def records(self) -> Iterator[CorpusRecord]:
        """Every record, by name."""
        return map(records.load, sorted((self._folder / "records").glob("*.json.gz")))

    def rows(self) -> list[Row]:
        """Every row, of rows for the same thing the last."""
        if not self._file.exists():
            return []
        stored = map(json.loads, self._file.read_text("utf-8").splitlines())
        names = ("setting", "seed", "reader", "subset", "method", "part", "queries")
        return list({tuple(row.get(name) for name in names): row for row in stored}.values())

    def append(self, added: Iterable[Row]) -> None:
        """Add rows at the end of the file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in added)

    @property
    def _file(self) -> Path:
        return self._folder / ROWS
