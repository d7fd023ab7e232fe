"""Public claims, read as the benchmark says it reads them."""

from benchmarks.copies.accu_copy import accu_copy
from benchmarks.data.author_names import surnames
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


def test_the_rival_finds_copies_that_are_no_majority() -> None:
    sample = copied(2, query_count=200)
    assert sample.accuracy(accu_copy(sample.votes)) > 0.9
