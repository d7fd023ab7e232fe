"""Citations: verbatim quotes of the documents that an answer was read from."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from math import fsum
from uuid import UUID

from answering.judges.quotes import sentence_at
from answering.passages import RetrievedPassage
from answering.readers import Location
from answering.text import tokenize
from answering.text.sentences import sentence_spans
from answering.voting import Count, SourceReading
from registry.answers.result_schemas import Citation

# Longer sentences, as tables and lists without a point are, are cut around the answer.
QUOTE_CHARACTERS = 300
# Of dissent, in a stored answer: each quote comes with its passage.
QUOTED_ANSWERS = 10
QUOTED_VOTES = 3


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
        start=passage.start + first,
        end=passage.start + last,
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
