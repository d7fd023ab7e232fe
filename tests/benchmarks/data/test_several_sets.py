"""The authors of books are read as surnames."""

import gzip
from pathlib import Path

from benchmarks.data.several_sets import book_authors


def test_each_surname_in_the_first_list_of_a_seller_is_an_answer(tmp_path: Path) -> None:
    rows = [
        ("shop", "0306406152", "A Book", "Ilse Varn; Otto Brek"),
        ("shop", "0306406152", "A Book", "Nobody Else"),
        ("store", "9780306406157", "A Book", "Varn, Ilse"),
        ("store", "9780306406158", "Another", "Otto Brek"),
    ]
    with gzip.open(tmp_path / "book.txt.gz", "wt", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)
    for name in ("golden", "silver"):
        (tmp_path / f"book_{name}.txt").write_text("9780306406157\tIlse Varn; Otto Brek\n9999999999999\tNobody\n")
    books = book_authors(tmp_path)
    said = {
        (books.queries[query], source, books.answers[answer])
        for query, source, answer in zip(books.query, books.source.tolist(), books.answer, strict=True)
    }
    first, second = "9780306406157", "9780306406158"
    assert said == {(first, 0, "varn"), (first, 0, "brek"), (first, 1, "varn"), (second, 1, "brek")}
    assert books.truths["golden"] == {first: {"varn", "brek"}}
