"""A small file in the SQuAD format, written by ourselves, with values, names and phrases."""

import json
from pathlib import Path

TOWNS = (
    ("Aldra", "1871", "Maren Holt", "3,400", "copper smelter"),
    ("Brindle", "1902", "Ivor Stamm", "12,800", "paper mill"),
    ("Corvane", "1788", "Lena Quist", "960", "salt garden"),
    ("Delmoor", "1655", "Otto Brandt", "7,250", "glass kiln"),
    ("Eskwater", "1934", "Petra Vann", "15,100", "tin pit"),
    ("Farnholt", "1840", "Silas Reed", "2,080", "rope yard"),
    ("Gorsewick", "1729", "Ada Molnar", "5,600", "wool market"),
    ("Hartlow", "1811", "Jonas Pell", "8,900", "slate quarry"),
    ("Isenford", "1699", "Greta Lund", "4,150", "iron forge"),
    ("Jarrowby", "1960", "Milo Trent", "1,730", "fish hall"),
    ("Keldmere", "1745", "Nora Beck", "6,420", "brick yard"),
    ("Lorn", "1583", "Tobias Gray", "11,300", "lead foundry"),
)


def paragraph(town: tuple[str, str, str, str, str]) -> dict[str, object]:
    """Four questions with one sentence each, and sentences that answer nothing."""
    name, year, mayor, people, work = town
    context = (
        f"The harbour of {name} lies to the north and freezes in hard winters. "
        f"The town of {name} began as a village and got its charter in {year} after a long quarrel. "
        f"The first mayor of {name} was {mayor}, who also built the bridge. "
        f"Today about {people} people live in {name} and the farms around it. "
        f"For many years the largest employer of {name} was the {work} by the river. "
        f"Visitors of {name} praise its walls, its gardens and the quiet of its squares."
    )
    asked = {
        f"In what year did {name} get its charter?": year,
        f"Who was the first mayor of {name}?": mayor,
        f"How many people live in {name}?": people,
        f"What was the largest employer of {name}?": work,
    }
    return {
        "context": context,
        "qas": [
            {
                "id": f"{name}-{number}",
                "question": question,
                "answers": [{"text": text, "answer_start": context.index(text)}],
            }
            for number, (question, text) in enumerate(asked.items())
        ],
    }


def write(folder: Path) -> Path:
    """The file, 48 questions on 12 towns that do not exist."""
    file = folder / "towns.json"
    articles = [{"title": town[0], "paragraphs": [paragraph(town)]} for town in TOWNS]
    file.write_text(json.dumps({"version": "1.1", "data": articles}), encoding="utf-8")
    return file
