"""What the vote on a question concludes, with citations: verbatim quotes of the documents that it was read from."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import fsum
from uuid import UUID

from answering.debates.auto import Decision
from answering.judges.quotes import sentence_at
from answering.passages import RetrievedPassage
from answering.questions.answer_type import content_words
from answering.questions.named_text import NamedText
from answering.questions.names import question_names
from answering.readers import Location
from answering.readers.english.subject_check import is_name
from answering.readers.yes_no import asks_yes_or_no
from answering.text import tokenize
from answering.text.sentences import sentence_spans
from answering.voting import Count, ListedVote, Outcome, SourceReading, TallyLine, closest, outcome_of
from registry.answers.debates.debate import HeldDebate
from registry.answers.evidence import Evidence
from registry.answers.question import QuestionContext
from registry.answers.result_schemas import EVEN_CHANCE, Citation, Decider
from registry.conflict_scores.scoring import ConflictScoring

UNLIKELY = "Given its sources and the confidence of the reader, this answer is more likely wrong than right."
# On 95 questions on treatments below `health_pages_dev`, 0.45 of 1,054 readings of Yes were right and 0.64 of 82 of No,
# whatever the judge's probability: what many sources say alike makes such an answer no surer.
YES_OR_NO = (
    "The compact judge decided between yes and no. It often takes a text that mentions a statement for support: on "
    "questions about treatments it is right half of the time. Read the passages, or configure a language model."
)
# Longer sentences, as tables and lists without a point are, are cut around the answer.
QUOTE_CHARACTERS = 300
# Of dissent, in a stored answer: each quote comes with its passage.
QUOTED_ANSWERS = 10
QUOTED_VOTES = 3


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The answers to a question and who decided on them."""

    decided_by: Decider
    outcome: Outcome
    answers: tuple[str, ...]
    confidence: float
    """Confidence in the first answer, in [0, 1]."""
    supporters: Set[UUID]
    """Selected sources that support the answers."""
    citations: tuple[Citation, ...]
    notes: tuple[str, ...] = ()
    is_capped: bool = False
    """Whether the confidence is lower because sources that came last carry the answer."""


NOTHING_HOLDS = Conclusion(Decider.NOBODY, Outcome.UNSUPPORTED, (), 0.0, frozenset(), ())


@dataclass(frozen=True, slots=True)
class Resolution:
    """The conclusion of a question, and the steps that led to it."""

    conclusion: Conclusion
    vote: Conclusion
    """The conclusion of the weighted vote alone."""
    decision: Decision | None = None
    """The decision of the strategy `auto`."""
    debate: HeldDebate | None = None
    conflict: ConflictScoring | None = None
    """The ConflictScore of the conclusion, if it was computed on the way."""
    subjects: Sequence[str] = ()
    """The titles under which sources give different answers, where the question does not say which it is about."""
    earlier_conflict: ConflictScoring | None = None
    """A ConflictScore of the vote that the conclusion has replaced; it counts in the cost."""


def conclude_vote(evidence: Evidence, min_margin: float) -> Conclusion:
    """The winner of the weighted vote; if other answers are too close to it, those of them all that sources which take
    part support. Of lists the items that win.
    """
    vote = _conclude_one(evidence, min_margin) if evidence.listed is None else _conclude_list(evidence, evidence.listed)
    return replace(vote, notes=(*vote.notes, YES_OR_NO)) if vote.answers and evidence.judged else vote


def _conclude_one(evidence: Evidence, min_margin: float) -> Conclusion:
    lines = closest(evidence.vote, min_margin)
    if len(lines) > 1:
        lines = with_reliable(evidence, lines)
    outcome = outcome_of(len(lines), found=evidence.selection.retrieved or bool(evidence.vote.tally))
    confidence = evidence.probabilities[lines[0].key] if lines else 0.0
    return Conclusion(
        Decider.VOTE,
        outcome,
        tuple(line.answer for line in lines),
        confidence,
        frozenset(source_id for line in lines for source_id in line.supporters),
        cite_lines(evidence, lines),
        unless_likely(confidence) if lines else (),
        evidence.is_capped,
    )


def _conclude_list(evidence: Evidence, listed: ListedVote[UUID]) -> Conclusion:
    """The items that win, as sure as the least sure of them; those support it who list them all."""
    confidence = min(evidence.probabilities[line.key] for line in listed.won)
    listing = dict.fromkeys(source_id for line in listed.won for source_id in line.supporters)
    return Conclusion(
        Decider.VOTE,
        Outcome.ANSWERED,
        tuple(line.answer for line in listed.won),
        confidence,
        frozenset(listing).difference(ballot.source_id for ballot in listed.result.dissent),
        cite_lists(listing, evidence.selection.readings),
        unless_likely(confidence),
        evidence.is_capped,
    )


def unless_likely(confidence: float) -> tuple[str, ...]:
    return (UNLIKELY,) if confidence < EVEN_CHANCE else ()


def unnamed_subjects(context: QuestionContext, evidence: Evidence) -> Sequence[str]:
    """The titles under which sources give different answers, where the question names neither one of them nor anything
    else.

    Only titles that are names count: a headline does not say what its page is about. Of 603 inputs about countries this
    leaves five unanswered, none of which says what it is about.
    """
    question, readings = context.question, evidence.selection.readings
    if context.parameters.paper or asks_yes_or_no(question) or any(map(str.isdigit, question)):
        return ()
    keys: defaultdict[str, set[str]] = defaultdict(set)
    texts = []
    for vote in evidence.count.votes:
        passage = readings[vote.source_id].read_from
        if passage is None:
            return ()
        texts.append(NamedText(passage.content))
        if is_name(NamedText(passage.title)):
            keys[passage.title].add(vote.answer_key)
    asked = content_words(question)
    if len(set().union(*keys.values())) < 2 or question_names(question, texts):
        return ()
    titles = [title for title in keys if asked.isdisjoint(content_words(title))]
    return titles if len(titles) > 1 else ()


def cite_lines(evidence: Evidence, lines: Sequence[TallyLine[UUID]]) -> tuple[Citation, ...]:
    """The citations of all supporters of these answers, with their names if there are several."""
    several = len(lines) > 1
    return tuple(
        citation
        for line in lines
        for citation in cite_readings(
            line.supporters, evidence.selection.readings, answer=line.answer if several else None
        )
    )


def with_reliable(evidence: Evidence, lines: Iterable[TallyLine[UUID]]) -> tuple[TallyLine[UUID], ...]:
    """The lines with the supporters that take part, if there are any."""
    takes_part = evidence.count.electorate.takes_part
    kept = (replace(line, supporters=tuple(filter(takes_part, line.supporters))) for line in lines)
    return tuple(line for line in kept if line.supporters)


def cite_readings(
    supporters: Sequence[UUID], readings: Mapping[UUID, SourceReading], *, answer: str | None = None
) -> tuple[Citation, ...]:
    """The sentence in which each supporter states its answer; `answer` names the one of several that is cited for."""
    return tuple(_cited(supporters, readings, answer))


def cite_lists(source_ids: Iterable[UUID], readings: Mapping[UUID, SourceReading]) -> tuple[Citation, ...]:
    """The sentence in which each source states its list, with that list."""
    return tuple(chain.from_iterable(_cited([each], readings, readings[each].answer) for each in source_ids))


def _cited(
    source_ids: Sequence[UUID], readings: Mapping[UUID, SourceReading], answer: str | None
) -> Iterator[Citation]:
    for reading in (readings[source_id] for source_id in source_ids):
        citation = cite(reading.passages, reading.answer or "", reading.location, for_answer=answer)
        if citation is not None:
            yield citation


def cite_others(count: Count[UUID], readings: Mapping[UUID, SourceReading], cited: Set[UUID]) -> Iterator[Citation]:
    """The sentences of sources that are not cited yet: of each of the first `QUOTED_ANSWERS` answers of the vote those
    of its `QUOTED_VOTES` heaviest independent votes that have one.
    """
    weights = {ballot.source_id: ballot.weight for ballot in count.ballots}
    for line in count.vote.tally[:QUOTED_ANSWERS]:
        votes: defaultdict[Hashable, list[UUID]] = defaultdict(list)
        for source_id in sorted(line.supporters, key=weights.__getitem__, reverse=True):
            votes[count.electorate.copy_group(source_id)].append(source_id)
        heaviest = sorted(votes.values(), key=lambda members: -fsum(weights[member] for member in members))
        quotes = (
            islice(_cited(members, readings, line.answer), 1) for members in heaviest if cited.isdisjoint(members)
        )
        yield from islice(chain.from_iterable(quotes), QUOTED_VOTES)


def cite(
    passages: Sequence[RetrievedPassage],
    answer: str,
    location: Location | None = None,
    *,
    for_answer: str | None = None,
) -> Citation | None:
    """The sentence at the location of the answer; else at its first occurrence; else the one that shares most words
    with it. None without passages.
    """
    if not passages:
        return None
    passage, start, end = _locate(passages, answer, location)
    return _citation(passage, *_quote_bounds(passage.content, start, end), for_answer)


def cite_nearest(passage: RetrievedPassage) -> Citation:
    return _citation(passage, *_quote_bounds(passage.content, 0, 1), None)


def _citation(passage: RetrievedPassage, first: int, last: int, answer: str | None) -> Citation:
    """The characters [first, last) of a passage."""
    return Citation(
        source_id=passage.source_id,
        document_id=passage.document_id,
        document_revision=passage.revision,
        document_external_id=passage.external_id,
        title=passage.title,
        url=passage.url,
        published_at=passage.published_at,
        start=0 if passage.is_title else passage.start + first,
        end=0 if passage.is_title else passage.start + last,
        quote=passage.content[first:last],
        context=passage.content,
        answer=answer,
    )


def _locate(
    passages: Sequence[RetrievedPassage], answer: str, location: Location | None
) -> tuple[RetrievedPassage, int, int]:
    if location is not None:
        return passages[location.passage], location.start, location.end
    folded = answer.casefold()
    for passage in passages:
        at = passage.content.casefold().find(folded)
        # Casefolding may change lengths, and with them the offsets.
        if at >= 0 and passage.content[at : at + len(answer)].casefold() == folded:
            return passage, at, at + len(answer)
    words = set(tokenize(answer))
    sentences = ((passage, start, end) for passage in passages for start, end in sentence_spans(passage.content))
    return max(
        sentences,
        key=lambda sentence: len(words.intersection(tokenize(sentence[0].content[sentence[1] : sentence[2]]))),
        default=(passages[0], 0, 0),
    )


def _quote_bounds(content: str, start: int, end: int) -> tuple[int, int]:
    """The sentences of [start, end); at most `QUOTE_CHARACTERS` of them around it, cut at spaces."""
    sentence = sentence_at(content, start, end)
    if sentence.end - sentence.start <= QUOTE_CHARACTERS:
        return sentence.start, sentence.end
    margin = max(QUOTE_CHARACTERS - (end - start), 0) // 2
    first, last = max(start - margin, sentence.start), min(end + margin, sentence.end)
    if first > sentence.start:
        first = content.find(" ", first, start) + 1 or first
    if last < sentence.end:
        space = content.rfind(" ", end, last)
        last = space if space > 0 else last
    return first, last
