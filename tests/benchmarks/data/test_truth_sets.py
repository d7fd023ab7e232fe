"""Public claims, read as the benchmark says it reads them."""

import gzip
from pathlib import Path

import numpy as np

from benchmarks.copies.accu_copy import accu_copy
from benchmarks.data.author_names import surnames
from benchmarks.data.truth_sets import birthplaces, books, isbn13
from tests.estimator.copying.scenarios import copied
from tests.tables import for_each


@for_each(
    ("text", "names"),
    [
        ("Knuth, Donald E.", "knuth"),
        ("Donald Ervin Knuth", "knuth"),
        ("Knuth", "knuth"),
        ("Graham, Ronald L.; Knuth, Donald E.", "graham knuth"),
        ("Jiawei Han, Micheline Kamber", "han kamber"),
        ("Han, Jiawei Kamber, Micheline", "han kamber"),
        ("Russell, Stuart, Norvig, Peter", "norvig russell"),
        ("Slatin, John M., Rush, Sharron", "rush slatin"),
        ("Lans, Rick F. Van Der/ Cools, Diane (TRN)", "cools lans"),
        ("By (author) Han, Jiawei By (author) Kamber, Micheline", "han kamber"),
        ("Bowman, Doug A.Kruijff, ErnstLaViola, Joseph J.Poupyrev, Ivan", "bowman kruijff laviola poupyrev"),
        ("McGraw, Gary & O'Leary, Linda", "mcgraw oleary"),
        ("Conry-Murray, Andrew; Weafer, Vincent", "conrymurray weafer"),
        ("St&uuml;tzle, Thomas (Author)", "stutzle"),
        ("Ransome, James F., PhD", "ransome"),
        ("Not Available", ""),
        ("", ""),
    ],
)
def test_author_lists_become_sets_of_surnames(text: str, names: str) -> None:
    assert surnames(text) == frozenset(names.split())


@for_each(("isbn", "long"), [("0201853949", "9780201853940"), ("155860846X", "9781558608467"), ("9780073516677",) * 2])
def test_isbns_of_ten_digits_become_thirteen(isbn: str, long: str) -> None:
    assert isbn13(isbn) == long


def test_books_are_right_where_the_set_of_surnames_is(tmp_path: Path) -> None:
    lines = [
        "shop a\t0201853949\ttitle\tKnuth, Donald E.",
        "shop a\t0201853949\ttitle\tsecond listing, ignored",
        "shop b\t0201853949\ttitle\t",
        "shop b\t155860846X\ttitle\tAlmeroth, Kevin",
        "shop c\t155860846X\ttitle\tDavid Makofske, Kevin Almeroth",
    ]
    with gzip.open(tmp_path / "book.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    (tmp_path / "book_golden.txt").write_text("155860846X\tmakofske, david ;  almeroth, kevin ;  \n", encoding="utf-8")
    (tmp_path / "book_silver.txt").write_text(
        "9780201853940\tdonald e knuth\n9780000000000\tnobody\n", encoding="utf-8"
    )
    golden, silver = books(tmp_path)
    assert (golden.votes.vote_count, golden.sources) == (3, ("shop a", "shop b", "shop c"))
    query, source, answer = golden.votes.triples()
    claims = {
        golden.sources[who]: np.where(np.arange(2) == asked, answered, -1)
        for asked, who, answered in zip(query.tolist(), source.tolist(), answer.tolist(), strict=True)
    }
    assert {who: golden.precision(answers) for who, answers in claims.items()} == {
        "shop a": 0,
        "shop b": 0,
        "shop c": 1,
    }
    assert {who: silver.precision(answers) for who, answers in claims.items()} == {
        "shop a": 1,
        "shop b": 0,
        "shop c": 0,
    }
    assert (golden.reachable, len(silver.accepted)) == (1.0, 1)


def test_a_birthplace_is_right_anywhere_on_its_path(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text(
        'obj,src,value\n"Doe, J",one,Paris \n"Doe, J",two,FRANCE\n"Doe, J",three,Texas\n', encoding="utf-8"
    )
    (tmp_path / "groundtruths.csv").write_text('obj,value\n"Doe, J","Paris,France"\n', encoding="utf-8")
    truth = birthplaces(tmp_path)
    right = {int(answer): truth.precision(np.array([answer])) for answer in truth.votes.class_answer}
    assert sorted(right.values()) == [0.0, 1.0, 1.0]


def test_the_rival_finds_copies_that_are_no_majority() -> None:
    sample = copied(2, query_count=200)
    assert sample.accuracy(accu_copy(sample.votes)) > 0.9
