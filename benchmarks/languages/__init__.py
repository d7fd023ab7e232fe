"""What works in which language: search, the compact reader and judge, and the recognition of the language.

`questions.tsv` has twenty questions in nine languages, the same in all of them, each with a passage that answers it, a
statement of the answer, the answer, and a wrong one. All facts are invented.
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "languages",
    "search, reading and judging in nine languages",
    page="languages",
    headlines=(
        Headline("questions whose language is recognised, other languages", "recognised", {"English": "recognised.en"}),
        Headline("right passage first, other languages", "found", {"English": "found.en"}),
        Headline("compact reader: right answers, other languages", "read", {"English": "read.en"}),
        Headline("compact judge: right verdicts, other languages", "judged", {"English": "judged.en"}),
    ),
)
