"""The multi-source benchmark: synthetic corpora of sources with known reliability, after RA-RAG section 4.

`facts` takes questions from a file in the SQuAD format, `answer_kinds` invents wrong answers of the same kind,
`wordings` writes passages, `synthetic` decides which source publishes what. All of it is pure and seeded.
"""

from benchmarks.harness import Benchmark, Headline

_METHODS = {
    "oracle": "oracle",
    "vote of all": "wmv",
    "majority": "majority",
    "naive RAG": "naive",
}


def _right(title: str, subset: str) -> Headline:
    return Headline(
        f"right answers of RA-RAG, {title}", f"{subset}/ra-rag", {n: f"{subset}/{m}" for n, m in _METHODS.items()}
    )


BENCHMARK = Benchmark(
    "multisource",
    "the whole service on sources of known reliability",
    page="multisource",
    headlines=(
        _right("nine sources from Beta(6, 4)", "beta/N=9"),
        _right("three spammers of nine sources", "spammers/spammers=3"),
        _right("six spammers of nine sources", "spammers/spammers=6"),
    ),
)
