"""The notes of an answer: what to know of its sources, its language and its time."""

from collections.abc import Iterator
from uuid import UUID

from answering.voting import CastVote
from answering.voting.electorate import SUREST_OF_LATECOMERS
from answering.voting.newer_statements import LEAST_GAP
from answering.voting.vote import TallyLine
from registry.answers.conclusion import Conclusion
from registry.answers.evidence import Evidence
from registry.answers.question import QuestionContext

NO_ESTIMATION = "This corpus has no estimation yet. Every source without an override counts the same."

JOINT_DISSENT = (
    "{members} of {of} sources that say “{answer}” agree with each other and against the others on {queries} of the "
    "last estimation. They count as one here."
)
FEW_VOTES = (
    "This rests on few votes: {share:.0%} of the runs on a third of the queries answer the question otherwise than the "
    "last estimation."
)
UNREAD_LANGUAGE = (
    "The question is in {language}, and the reader knows only English. It may miss or misread what sources say. "
    "To read other languages, configure a reader of them (CREDENCE_READER) or a language model (CREDENCE_CHAT_MODEL)."
)
NEW_SOURCES = (
    "{new} of {of} votes come from new sources, or from documents newer than the last estimation that contradict older "
    "ones. They weigh little, and those that agree count as one."
)

READ_OF_PERIOD = (
    "The question asks about “{words}”: documents published from {first} to {last} were read, and those without a "
    "date. To ask about another time, give the time of the question (asked_at)."
)
OF_ANOTHER_TIME = (
    "The question asks about “{words}”, and no document is from {first} to {last}, so that this is about another time. "
    "To ask about that, give the time of the question (asked_at)."
)
LATECOMERS = (
    "The confidence is lowered to {most:.0%}: without {late} of the {of} sources that answer, those registered last "
    "(on {date} or later), another answer would win, or none. Sources that were right before may agree on one lie. Set "
    "the reliability of those that you know by hand, and they count as older ones do."
)
NEWER_STATEMENT = (
    "A newer statement says otherwise: {newer}. All that say “{answer}” published it at least {days} days before, and "
    "may have been right then."
)
OUTDATED = (
    "Older statements do not count where one source alone makes them, here {older}: {newer} is at least {days} days "
    "newer. Of such statements on what is so now the newer one is right more often."
)


def notes_on(context: QuestionContext, evidence: Evidence, conclusion: Conclusion) -> Iterator[str]:
    """The notes on the question's language, on the sources and on the age of what they say."""
    yield from _notes_on_language(context)
    yield from _notes_on_sources(context, evidence)
    yield from _notes_on_latecomers(evidence, conclusion)


def _notes_on_language(context: QuestionContext) -> Iterator[str]:
    if context.unread_language:
        yield UNREAD_LANGUAGE.format(language=context.unread_language)


def _notes_on_sources(context: QuestionContext, evidence: Evidence) -> Iterator[str]:
    run = evidence.reliabilities.run
    if run is None:
        yield NO_ESTIMATION
    elif change := context.runtime.reader_change(run.reader):
        yield change
    new = sum(evidence.count.electorate.is_new(source_id) for source_id in evidence.selection.selected)
    if new:
        yield NEW_SOURCES.format(new=new, of=len(evidence.count.ballots))
    yield from _notes_on_period(context, evidence)
    yield from _notes_on_age(evidence)
    if evidence.known.turned:
        yield FEW_VOTES.format(share=evidence.known.turned)
    for line in evidence.vote.tally[:2]:
        yield from _notes_on_dissent(evidence, line)


def _notes_on_period(context: QuestionContext, evidence: Evidence) -> Iterator[str]:
    if (period := context.period) is None:
        return
    first, last = period.start.date().isoformat(), period.end.date().isoformat()
    if evidence.known.where.undated:
        yield READ_OF_PERIOD.format(words=period.words, first=first, last=last)
    elif evidence.is_of_another_time:
        yield OF_ANOTHER_TIME.format(words=period.words, first=first, last=last)


def _notes_on_age(evidence: Evidence) -> Iterator[str]:
    newer, votes = evidence.newer_statement, evidence.count.votes
    # A list is not contradicted by another one that is newer.
    if not evidence.listed and newer is not None:
        answer = evidence.vote.tally[0].answer
        yield NEWER_STATEMENT.format(newer=_quoted(evidence, newer), answer=answer, days=LEAST_GAP.days)
    said = {vote.source_id: _quoted(evidence, vote) for vote in votes}
    for newer_id in dict.fromkeys(vote.outdated_by for vote in votes if vote.outdated_by):
        older = ", ".join(said[vote.source_id] for vote in votes if vote.outdated_by == newer_id)
        yield OUTDATED.format(older=older, newer=said[newer_id], days=LEAST_GAP.days)


def _quoted(evidence: Evidence, vote: CastVote[UUID]) -> str:
    date = vote.last_published_at.date().isoformat() if vote.last_published_at else "no date"
    return f"“{vote.answer}” ({evidence.sources[vote.source_id].name}, {date})"


def _notes_on_latecomers(evidence: Evidence, conclusion: Conclusion) -> Iterator[str]:
    if conclusion.is_capped:
        voters = conclusion.supporters | {ballot.source_id for ballot in evidence.count.ballots}
        late = voters & evidence.count.electorate.latecomers
        came = min(created for each in late if (created := evidence.sources[each].created_at)).date().isoformat()
        yield LATECOMERS.format(most=SUREST_OF_LATECOMERS, late=len(late), of=len(voters), date=came)


def _notes_on_dissent(evidence: Evidence, line: TallyLine[UUID]) -> Iterator[str]:
    """Groups that dissent together of which several members support this answer."""
    run = evidence.reliabilities.run
    dissents = run.joint_dissent_of() if run else {}
    for number, group in enumerate(run.joint_dissents if run else ()):
        # New sources that agree count as one, whatever group they are in.
        members = sum(
            dissents.get(source_id) == number and not evidence.count.electorate.is_new(source_id)
            for source_id in line.supporters
        )
        if members > 1:
            asked = len(group["queries"])
            queries = "1 query" if asked == 1 else f"{asked:,} queries"
            yield JOINT_DISSENT.format(members=members, of=line.count, answer=line.answer, queries=queries)
