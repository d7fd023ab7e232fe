"""The output of the demo, each step when it is done."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.output import bar, number, say, table
from api.cli.reports.answer import print_headline, selection_table, topic_line
from api.cli.reports.estimation import copy_group_line, topic_table, turn_line
from api.demo.audit import Audit
from api.demo.corpus import Showcase, load_corpus
from api.demo.load import NAME, LoadedCorpus
from api.demo.run import DemoAnswer
from api.text import clean, plural, shorten
from registry.queries.model import Query
from registry.sources.schemas import CopyGroup

QUOTE_CHARACTERS = 150
EXAMPLES = 2
LEGEND = (
    "given: the estimate from 64 hand-written queries; true: share of its statements that are right; right: share of "
    "its answers to these 64 queries that are right"
)
TITLES = {
    Showcase.CLEAR: "A question most sources agree on",
    Showcase.MAJORITY_WRONG: "A question most sources get wrong",
    Showcase.UNANSWERED: "A question no document answers",
}


class DemoReport:
    """Prints the steps of the demo; `run_demo` calls its methods in their order."""

    def __init__(self, console: Console, reader: str) -> None:
        self._console = console
        self._reader = reader

    def loaded(self, corpus: LoadedCorpus) -> None:
        """The size of the corpus, and the reader."""
        state = f"{corpus.new_documents} of them new" if corpus.new_documents else "all there already"
        sources, documents = len(load_corpus().sources), corpus.documents.total()
        self._print(
            f"{plural(sources, 'source')}, {plural(documents, 'document')} ({state}). "
            "There are no labels. The queries that sources are compared on are written from the documents."
        )
        self._print(f"Reader: {self._reader}")

    def generating(self) -> None:
        """Print that queries are being written, which takes a while."""
        self._print("Writing queries: facts that several sources state ...")

    def generated(self, queries: Sequence[Query]) -> None:
        """Print the number of queries that were written, and some of them."""
        examples = " ".join(query.text for query in queries[:EXAMPLES])
        self._print(f"{plural(len(queries), 'query', 'queries')} written from the documents, such as: {examples}")

    def audited(self, audit: Audit, *, is_new: bool) -> None:
        """The estimates beside the true reliabilities; `is_new` if they were estimated just now."""
        run = audit.run
        if is_new:
            self._print(
                f"Estimated from {plural(run.votes_total, 'vote')} on them ({run.readings_made:,} readings made, "
                f"{run.readings_cached:,} known; {run.stop_reason} after {plural(run.rounds or 0, 'round')})."
            )
        else:
            self._print(f"Nothing changed since the estimation of {run.created_at:%Y-%m-%d %H:%M} UTC.")
        self._console.print(_audit_table(audit))
        self._console.print(Text(LEGEND, style="dim"))
        for group in run.copy_groups:
            self._print(copy_group_line(CopyGroup.model_validate(group)))
        turns = [
            turn_line(source.estimate.name, source.estimate.periods)
            for source in audit.sources
            if source.estimate.periods
        ]
        self._print(" ".join(turns or ["No source changed its reliability over time."]))
        self._print_topics(audit)
        generated, given, count = audit.from_generated, audit.from_given, audit.queries
        self._print(
            f"Estimates against the truth: correlation {number(generated.correlation)}, largest difference "
            f"{number(generated.largest_difference)}. From {count} hand-written queries instead: "
            f"{number(given.correlation)} and {number(given.largest_difference)}. With the estimates from the "
            f"documents the service answers {audit.answered_right} of these {count} right and leaves "
            f"{audit.conflicting} open, as their answers conflict; a majority vote is right on {audit.majority_right}."
        )

    def _print_topics(self, audit: Audit) -> None:
        """The topics of the run, and the reliability of each source on each."""
        if not audit.topics:
            return
        topics = (f"{topic.label} ({plural(topic.query_count, 'query', 'queries')})" for topic in audit.topics)
        self._print(
            f"Sources differ by topic ({len(audit.topics)} topics, named by words of their queries): "
            f"{'; '.join(topics)}."
        )
        self._console.print(topic_table([(s.estimate.name, s.estimate.topics) for s in audit.sources], audit.topics))

    def answered(self, answer: DemoAnswer) -> None:
        """One answer, its sources, and what a majority vote would have answered."""
        self._console.print()
        title = TITLES[answer.question.showcase] if answer.question.showcase else ""
        self._console.print(Text.assemble((f"{title}: ", "dim"), (clean(answer.question.text), "bold")))
        print_headline(self._console, answer.result)
        self._console.print(_comparison(answer))
        if answer.result.topic is not None and answer.question.showcase is Showcase.MAJORITY_WRONG:
            self._print(topic_line(answer.result.topic))
        if answer.result.selected_sources:
            self._console.print(selection_table(answer.result))
        for citation in answer.result.citations[:1]:
            quote = shorten(citation.quote, QUOTE_CHARACTERS)
            self._console.print(Text.assemble((f"{clean(citation.title)}: ", "dim"), (f"“{quote}”", "italic")))

    def ended(self, seconds: float) -> None:
        """The time that everything took."""
        self._console.print()
        self._print(f"Total time: {seconds:.0f} s.")

    def print_url(self, url: str) -> None:
        """Print the address of the service, and what to try."""
        base = f"{url}/v1/corpora/{NAME}"
        question = "Which bird nests on Skerrow in the largest numbers?"
        self._console.print()
        self._console.print(Text.assemble("The service runs on ", (url, "bold"), ". Ctrl-C stops it. Try:"))
        for line in (
            f"curl -s {base}/sources",
            f"curl -s {base}/estimations",
            f"curl -s {base}/answers -H 'Content-Type: application/json' -d '{{\"question\": \"{question}\"}}'",
        ):
            say(self._console, f"  {line}")
        say(self._console, "Look at it in a browser: ", (f"{url}/corpora/{NAME}", "bold"))

    def _print(self, text: str) -> None:
        self._console.print(Text(clean(text)))


def _audit_table(audit: Audit) -> Table:
    return table(
        audit.sources,
        {
            "source": "estimate.name",
            "": lambda source: bar(source.estimate.estimated),
            "estimate": "estimate.estimated",
            "given": "from_given",
            "true": "published_right",
            "votes": "estimate.vote_count",
            "right": "votes_right",
        },
    )


def _comparison(answer: DemoAnswer) -> Text:
    """Whether the answer is right, and what counting every source the same would have given."""
    if not answer.question.gold_answers:
        return Text.assemble("It is ", _verdict(answer.is_right), (": no document says it.", "dim"))
    votes = [entry.votes for entry in answer.all_sources.tally]
    majority = " / ".join(map(clean, answer.majority)) or "nothing"
    text = f"; a majority of all sources says {majority} ({max(votes, default=0)} of {plural(sum(votes), 'vote')})"
    right, majority_right = _verdict(answer.is_right), _verdict(answer.majority_is_right)
    return Text.assemble("It is ", right, (f"{text}, which is ", "dim"), majority_right)


def _verdict(is_right: bool) -> tuple[str, str]:
    return ("right", "bold green") if is_right else ("wrong", "bold red")
