"""The vote on each item of the lists that sources give, where a question asks for several.

A source that answers says yes to what it lists and no to the rest. So each item has a weighted vote between these two,
with its own probability and certificate, and the answer is the list of those that win. Of the authors of 100 books this
finds 0.967 and no false one in the lists of sellers (`benchmarks.several` has other rules); where who names one alone
said nothing on the others, one in ten was false.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic

from answering.equivalence import representative
from answering.voting.certificate import Certificate, certify
from answering.voting.electorate import Count
from answering.voting.vote import TallyLine, VoteResult
from answering.voting.voter import CastVote, Source

_YES, _NO = "yes", "no"


@dataclass(frozen=True)
class ListedVote(Generic[Source]):
    """The votes on all items, each between yes and no; at least one item wins.

    >>> from answering.voting import CastVote, Electorate, Voter
    >>> voters = [Voter(name, 0.9) for name in "abc"]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=4, weigh=lambda w, labels: labels * w - 1)
    >>> lists = {"a": {"ann": "Ann", "bo": "Bo"}, "b": {"ann": "Ann"}, "c": {"bo": "Bo", "cy": "Cy"}}
    >>> count = electorate.count([CastVote(name, name, ", ".join(listed.values())) for name, listed in lists.items()])
    >>> vote = ListedVote.of(count, lists)
    >>> [line.answer for line in vote.won], round(vote.result.margin, 2), vote.certificate.size
    (['Ann', 'Bo'], 0.33, 1)
    """

    count: Count[Source]
    """The votes for whole lists, with their weights between two answers."""
    counts: Mapping[str, Count[Source]]
    """The votes on items, by their classes."""
    typical: Sequence[Source]
    """The sources whose lists consist of items that win, at least by half; at least one."""
    result: VoteResult[Source]
    """The items as lines of a tally, those that win first, each with its share of the weight of all who answer. The
    margin is the narrowest of their votes. Who does not list all that win dissents.
    """

    @classmethod
    def of(cls, count: Count[Source], lists: Mapping[Source, Mapping[str, str]]) -> "ListedVote[Source] | None":
        """The vote on the items that sources list, given as wordings by class, where the sources cast these votes; None
        if no source's list consists of items that win, at least by half: the few that they share are no answer.
        """
        count = (electorate := count.electorate.with_labels(2)).count(count.votes)
        counts = {
            key: electorate.count([_on_item(vote, lists[vote.source_id], key) for vote in count.votes])
            for key in dict.fromkeys(key for listed in lists.values() for key in listed)
        }
        lines = [_line(key, of_key, lists) for key, of_key in counts.items()]
        lines.sort(key=lambda line: (not _wins(counts[line.key]), -counts[line.key].probabilities[_YES], line.key))
        won = [line for line in lines if _wins(counts[line.key])]
        winners = {line.key for line in won}
        typical = [source for source, listed in lists.items() if 2 * len(winners.intersection(listed)) >= len(listed)]
        if not won or not typical:
            return None
        giving = set.intersection(*(set(line.supporters) for line in won))
        return cls(
            count,
            counts,
            typical,
            VoteResult(
                winner=won[0].key,
                answer=", ".join(line.answer for line in won),
                tally=tuple(lines),
                margin=min(of_key.vote.margin for of_key in counts.values()),
                dissent=tuple(ballot for ballot in count.ballots if ballot.source_id not in giving),
                tied=False,
            ),
        )

    @property
    def won(self) -> tuple[TallyLine[Source], ...]:
        return tuple(line for line in self.result.tally if _wins(self.counts[line.key]))

    @property
    def probabilities(self) -> Mapping[str, float]:
        """The probability that each item belongs to the answer."""
        return {key: count.probabilities[_YES] for key, count in self.counts.items()}

    @property
    def is_capped(self) -> bool:
        """Whether the least sure item would be more probable if sources that came last counted as all others."""
        return min((self.counts[line.key] for line in self.won), key=lambda count: count.confidence).is_capped

    @cached_property
    def certificate(self) -> Certificate[Source]:
        """The fewest sources whose corruption adds or removes an item, or leaves no list typical. No new item needs
        fewer than the surest one does.
        """
        certificates = (certify(count.electorate, count.votes) for count in self.counts.values())
        leaving_none = Certificate(tuple(self.typical), len(self.typical), None)
        possible = [certificate for certificate in (*certificates, leaving_none) if certificate.size is not None]
        fewest = min(possible, key=lambda certificate: (certificate.size or 0, certificate.is_bound))
        return replace(fewest, challenger=None)


def _on_item(vote: CastVote[Source], listed: Mapping[str, str], key: str) -> CastVote[Source]:
    return replace(vote, answer_key=_YES if key in listed else _NO)


def _wins(count: Count[Source]) -> bool:
    return count.vote.winner == _YES and not count.vote.tied


def _line(key: str, count: Count[Source], lists: Mapping[Source, Mapping[str, str]]) -> TallyLine[Source]:
    yes = next(line for line in count.vote.tally if line.key == _YES)
    return replace(yes, key=key, answer=representative(lists[source_id][key] for source_id in yes.supporters))
