"""Files that are made to harm who reads them: bombs, depths, widths, loops, lies and damage."""

import random
from collections.abc import Iterator, Mapping

from tests.fakes.hostile_files.draws import Attack
from tests.fakes.hostile_files.office import DOCX, PPTX, XLSX
from tests.fakes.hostile_files.pdf import PDF
from tests.fakes.hostile_files.web import HTML, WARC, XML

ATTACKS: Mapping[str, Mapping[str, Attack]] = {
    "docx": DOCX,
    "xlsx": XLSX,
    "pptx": PPTX,
    "pdf": PDF,
    "html": HTML,
    "warc": WARC,
    "xml": XML,
}
# Libraries of extras, without which a kind is not read.
NEEDED = {"docx": "markitdown", "pptx": "markitdown", "xlsx": "openpyxl", "pdf": "pypdf", "warc": "warcio"}


def hostile_files(kind: str, count: int, seed: int = 45) -> Iterator[tuple[str, bytes]]:
    """So many files: attack and content; every attack is used before one is repeated, in an order that is drawn."""
    draw = random.Random(f"{seed} {kind}")
    attacks = list(ATTACKS[kind].items())
    draw.shuffle(attacks)
    for number in range(count):
        name, attack = attacks[number % len(attacks)]
        yield name, attack(draw)
