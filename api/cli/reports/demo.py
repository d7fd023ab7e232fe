"""The output of the demo, each step when it is done."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.output import bar, number, say, table
from api.cli.reports.answer import print_headline, selection_table, topic_line
from api.cli.reports.estimation import copy_group_line, topic_table, turn_line
from api.demo.audit import Audit
from api.demo.corpus import Showcase, load_corpus
from api.demo.load import NAME, DemoAnswer, LoadedCorpus
from api.text import clean, plural, shorten
from registry.sources.schemas import CopyGroup

QUOTE_CHARACTERS = 150
LEGEND = (
    "given: the estimate from 64 hand-written queries; true: share of its statements that are right; right: share of "
    "its answers to these 64 queries that are right"
)
TITLES = {
    Showcase.CLEAR: "A question most sources agree on",
    Showcase.MAJORITY_WRONG: "A question most sources get wrong",
    Showcase.UNANSWERED: "A question no document answers",
}


def say_wrapped(console: Console, text: str) -> None:
    """A paragraph, whose lines break where the console ends."""
    console.print(Text(clean(text)))


def print_loaded(console: Console, corpus: LoadedCorpus, reader: str) -> None:
    state = f"{corpus.new_documents} of them new" if corpus.new_documents else "all there already"
    sources, documents = len(load_corpus().sources), corpus.documents.total()
    text = "There are no labels. The queries that sources are compared on are written from the documents."
    say_wrapped(console, f"{plural(sources, 'source')}, {plural(documents, 'document')} ({state}). {text}")
    say_wrapped(console, f"Reader: {reader}")


def print_audit(console: Console, audit: Audit, *, is_new: bool) -> None:
    """The estimates beside the true reliabilities; `is_new` if they were estimated just now."""
    run = audit.run
    made = (
        f"Estimated from {plural(run.votes_total, 'vote')} on them ({run.readings_made:,} readings made, "
        f"{run.readings_cached:,} known; {run.stop_reason} after {plural(run.rounds or 0, 'round')})."
    )
    kept = "" if is_new else f"Nothing changed since the estimation of {run.created_at:%Y-%m-%d %H:%M} UTC."
    say_wrapped(console, kept or made)
    console.print(_audit_table(audit))
    console.print(Text(LEGEND, style="dim"))
    for group in run.copy_groups:
        say_wrapped(console, copy_group_line(CopyGroup.model_validate(group)))
    estimates = [source.estimate for source in audit.sources]
    turns = [turn_line(estimate.name, estimate.periods) for estimate in estimates if estimate.periods]
    say_wrapped(console, " ".join(turns or ["No source changed its reliability over time."]))
    if audit.topics:
        topics = "; ".join(f"{topic.label} ({plural(topic.query_count, 'query', 'queries')})" for topic in audit.topics)
        named = f"{len(audit.topics)} topics, named by words of their queries"
        say_wrapped(console, f"Sources differ by topic ({named}): {topics}.")
        console.print(topic_table([(estimate.name, estimate.topics) for estimate in estimates], audit.topics))
    generated, given, count = audit.from_generated, audit.from_given, audit.queries
    say_wrapped(
        console,
        f"Estimates against the truth: correlation {number(generated.correlation)}, largest difference "
        f"{number(generated.largest_difference)}. From {count} hand-written queries instead: "
        f"{number(given.correlation)} and {number(given.largest_difference)}. With the estimates from the "
        f"documents the service answers {audit.answered_right} of these {count} right and leaves "
        f"{audit.conflicting} open, as their answers conflict; a majority vote is right on {audit.majority_right}.",
    )


def print_demo_answer(console: Console, answer: DemoAnswer) -> None:
    """One answer, its sources, and what a majority vote would have answered."""
    console.print()
    title = TITLES[answer.question.showcase] if answer.question.showcase else ""
    console.print(Text.assemble((f"{title}: ", "dim"), (clean(answer.question.text), "bold")))
    print_headline(console, answer.result)
    console.print(_comparison(answer))
    if answer.result.topic is not None and answer.question.showcase is Showcase.MAJORITY_WRONG:
        say_wrapped(console, topic_line(answer.result.topic))
    if answer.result.selected_sources:
        console.print(selection_table(answer.result))
    for citation in answer.result.citations[:1]:
        quote = shorten(citation.quote, QUOTE_CHARACTERS)
        console.print(Text.assemble((f"{clean(citation.title)}: ", "dim"), (f"“{quote}”", "italic")))


def print_url(console: Console, url: str) -> None:
    """The address of the service, and what to try."""
    base = f"{url}/v1/corpora/{NAME}"
    question = "Which bird nests on Skerrow in the largest numbers?"
    console.print()
    say(console, "The service runs on ", (url, "bold"), ". Ctrl-C stops it. Try:")
    for line in (
        f"curl -s {base}/sources",
        f"curl -s {base}/estimations",
        f"curl -s {base}/answers -H 'Content-Type: application/json' -d '{{\"question\": \"{question}\"}}'",
    ):
        say(console, f"  {line}")
    say(console, "Look at it in a browser: ", (f"{url}/corpora/{NAME}", "bold"))


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
