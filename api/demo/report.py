"""What the demo prints: short, and each number as it came out."""

from rich.console import Console
from rich.text import Text

from api.cli.answer_report import print_headline, voters
from api.cli.output import bar, cell, clean, number, plural, table
from api.cli.reliabilities import told
from api.demo.audit import Audit
from api.demo.corpus import Showcase
from api.demo.load import NAME, Loaded
from api.demo.run import Asked, DemoOutcome, Steps
from registry.estimation.copy_groups import Voice

QUOTE_CHARACTERS = 150
LEGEND = "true: share of its statements that are right; right: the same of its votes"
TITLES = {
    Showcase.CLEAR: "A question most sources agree on",
    Showcase.MAJORITY_WRONG: "A question most sources get wrong",
    Showcase.UNANSWERED: "A question no document answers",
}


class Report:
    """Prints each step of the demo when it is done."""

    def __init__(self, console: Console, reader: str) -> None:
        self._console = console
        self._reader = reader

    def steps(self) -> Steps:
        """What the demo calls."""
        return Steps(loaded=self.loaded, audited=self.audited, asked=self.asked)

    def loaded(self, loaded: Loaded) -> None:
        """What is read, and by whom."""
        documents, queries = loaded.documents.total(), loaded.queries.total()
        new = loaded.documents["created"] + loaded.documents["updated"]
        state = f"{new} of them new" if new else "all there already"
        self._say(
            f"{plural(len(loaded.sources), 'source')}, {plural(documents, 'document')} ({state}), "
            f"{plural(queries, 'query', 'queries')}. Nothing is labelled: gold answers are looked at afterwards only."
        )
        self._say(f"Reader: {self._reader}")

    def audited(self, audit: Audit, anew: bool) -> None:
        """The estimate beside the truth."""
        run = audit.run
        if anew:
            self._say(
                f"Estimated from {plural(run.votes_total, 'vote')} ({run.readings_made:,} readings made, "
                f"{run.readings_cached:,} known; {run.stop_reason} after {plural(run.rounds or 0, 'round')})."
            )
        else:
            self._say(f"Nothing changed since the estimation of {run.created_at:%Y-%m-%d %H:%M} UTC: it stands.")
        self._console.print(_audit_table(audit))
        self._console.print(Text(LEGEND, style="dim"))
        for voice in audit.run.voices:
            self._say(told(Voice.model_validate(voice)))
        difference = number(audit.largest_difference)
        self._say(
            f"Estimate against truth: correlation {number(audit.correlation)}, largest difference {difference}. "
            f"Of {audit.queries} queries the weighted vote gets {audit.weighted_right} right, "
            f"a majority vote {audit.majority_right}."
        )

    def asked(self, asked: Asked) -> None:
        """One answer, who gave it, and what a majority would have said."""
        self._console.print()
        title = TITLES[asked.question.showcase] if asked.question.showcase else ""
        self._console.print(Text.assemble((f"{title}: ", "dim"), (clean(asked.question.text), "bold")))
        print_headline(self._console, asked.result)
        self._console.print(_comparison(asked))
        if asked.result.selected_sources:
            self._console.print(voters(asked.result))
        for citation in asked.result.citations[:1]:
            quote = _short(citation.quote)
            self._console.print(Text.assemble((f"{clean(citation.title)}: ", "dim"), (f"“{quote}”", "italic")))

    def ended(self, outcome: DemoOutcome) -> None:
        """What the selection saved, and how long everything took."""
        read = [one.result.usage.readings for one in outcome.asked]
        all_sources = len(outcome.asked) * len(outcome.loaded.sources)
        self._console.print()
        self._say(
            f"kappa-RRSS answered the {len(read)} questions with {' + '.join(map(str, read))} = {sum(read)} readings; "
            f"asking every source takes {all_sources}. All of this took {outcome.seconds:.0f} s."
        )

    def served(self, url: str) -> None:
        """Where the service is, and what to try."""
        base = f"{url}/v1/corpora/{NAME}"
        question = "Which bird nests on Skerrow in the largest numbers?"
        self._console.print()
        self._console.print(Text.assemble("The service runs on ", (url, "bold"), ". Ctrl-C stops it. Try:"))
        for line in (
            f"curl -s {base}/sources",
            f"curl -s {base}/estimations",
            f"curl -s {base}/answers -H 'Content-Type: application/json' -d '{{\"question\": \"{question}\"}}'",
        ):
            self._console.print(Text(f"  {line}"), soft_wrap=True)

    def _say(self, text: str) -> None:
        self._console.print(Text(clean(text)))


def _audit_table(audit: Audit) -> object:
    made = table("source", "", "estimate", "true", "votes", "right", right=("estimate", "true", "votes", "right"))
    for one in audit.sources:
        standing = one.standing
        made.add_row(
            cell(standing.name),
            bar(standing.estimated),
            number(standing.estimated),
            number(one.published_right),
            str(standing.vote_count),
            number(one.votes_right),
        )
    return made


def _comparison(asked: Asked) -> Text:
    """Whether the answer is right, and what counting every source the same would have given."""
    if not asked.question.gold_answers:
        return Text.assemble("It is ", _word(asked.right), (": no document says it.", "dim"))
    total = sum(one.votes for one in asked.everybody.tally)
    votes = max((one.votes for one in asked.everybody.tally), default=0)
    said = f"{' / '.join(map(clean, asked.majority)) or 'nothing'} ({votes} of {plural(total, 'vote')})"
    majority = f"; a majority of all sources says {said}, which is "
    return Text.assemble("It is ", _word(asked.right), (majority, "dim"), _word(asked.majority_right))


def _word(right: bool) -> tuple[str, str]:
    return ("right", "bold green") if right else ("wrong", "bold red")


def _short(text: str) -> str:
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= QUOTE_CHARACTERS else flat[: QUOTE_CHARACTERS - 1] + "…"
