"""Is an answer about what was asked? Countries by eleven sources, names that nobody wrote of, and exchanged subjects.

`statements` and `truth` say by rules what the sources state and what of it is right, `countries` loads the data set,
`service` puts it into the service. `capitals`, `fields`, `yes_no`, `refusals`, `reading` and `speed` each measure one
part.
"""

from benchmarks.harness import Benchmark, Headline

_NAME = "capitals/{}/right"

BENCHMARK = Benchmark(
    "subjects",
    "whether an answer is about what was asked",
    page="subjects",
    headlines=(
        Headline(
            "capitals right",
            _NAME.format("as it comes"),
            {
                "majority": _NAME.format("majority of all sources"),
                "plain RAG": _NAME.format("plain RAG: one reader, one search"),
            },
            aim=0.983,
        ),
        Headline(
            "wrong capitals above confidence .9",
            "capitals/as it comes/wrong_certain",
            {"plain RAG": "capitals/plain RAG: one reader, one search/wrong_certain"},
            aim=0,
            higher_is_better=False,
            form=".0f",
        ),
        Headline(
            "fields of the Factbooks, answered as they have it",
            "fields/as it comes/all/right",
            {"plain RAG": "fields/plain RAG: one reader, one search/all/right"},
        ),
        Headline(
            "yes or no about countries, wrong",
            "yes_no/as it comes/all/wrong",
            {"plain RAG": "yes_no/plain RAG: one reader, one search/all/wrong"},
            higher_is_better=False,
        ),
        Headline("names that no document has, answered", "names/all/answered", aim=0.02, higher_is_better=False),
        Headline("no question, no subject or two questions, treated so", "inputs/all/treated", aim=0.98),
        Headline("Spearman of reliability and right statements", "spearman", aim=0.8, form=".2f"),
        Headline(
            "subject exchanged in RAMDocs, answered all the same",
            "exchange/RAMDocs/other_answered",
            aim=0.03,
            higher_is_better=False,
        ),
        Headline("a first question, warm", "first_question_median_s", aim=0.3, higher_is_better=False, form=".2f s"),
    ),
)
