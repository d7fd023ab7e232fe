"""`python -m benchmarks.pages`: how fast the pages are in Chromium at 10,000 sources with 200,000 votes.

Every page is opened several times in a fresh browser context, so that nothing is cached, on a service in a process of
its own. First contentful paint is when the browser shows the first text, the full page when its last byte is drawn.
The rival is the same table as many web applications draw it: a script fetches all sources as JSON and makes the rows.

At a service that `make demo` left, `--pictures URL` takes pictures of all pages instead, and `python -m
benchmarks.pages.screenshots URL` those of the documentation.
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "pages",
    "the web pages in Chromium, 10,000 sources with 200,000 votes",
    page="pages",
    headlines=(
        Headline(
            "first contentful paint of the table of sources",
            "sources_paint_ms",
            rivals={"rows drawn by a script": "script_ms"},
            aim=300,
            higher_is_better=False,
            form=".0f ms",
        ),
        Headline("full table of sources", "sources_full_ms", aim=1000, higher_is_better=False, form=".0f ms"),
        Headline("slowest page until it is full", "slowest_full_ms", higher_is_better=False, form=".0f ms"),
        Headline("script in all", "script_kb", aim=100, higher_is_better=False, form=".1f kB"),
    ),
)
