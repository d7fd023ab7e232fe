"""Near-duplicate passages of different sources: a second witness, beside shared wrong answers, of who copies.

Passages are compared by locality-sensitive hashing of their signatures (Indyk and Motwani 1998): only those that agree
in all places of one band. Nothing is dropped: a copy keeps its source.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from estimator import Witness
from registry.ingest.minhash import PLACES, SIZE
from registry.store.votes import NUMBERED, Tally, copied_bytes

Integers = NDArray[np.int64]
Places = NDArray[np.uint32]

COPY_SIGNATURES = f"""
    COPY (
        {NUMBERED}
        SELECT heard.number, passages.signature
        FROM passages JOIN heard USING (source_id)
        WHERE octet_length(passages.signature) = {SIZE}
        LIMIT {{most}}
    ) TO STDOUT (FORMAT binary)
"""  # noqa: S608  (our own words)
MOST_PASSAGES: Final = 2_000_000
_HEADER, _TRAILER = 19, 2
_ROW: Final = np.dtype(
    [("fields", ">i2"), ("size", ">i4"), ("source", ">i8"), ("length", ">i4"), ("places", "<u4", (PLACES,))]
)
_BAND: Final = 4
# What more passages than this have in common is a standing phrase, not a copy.
_STANDING_PHRASE: Final = 50
_ALIKE: Final = 0.7
# How often a passage of a source turns up again in one that copies it, and in one that does not.
_COPIED, _BY_CHANCE = 0.3, 0.02
_MOST_LOG_ODDS: Final = 6.0


async def witness(session: AsyncSession, tally: Tally) -> Witness | None:
    """What the passages of the sources say; None where no two of them are alike."""
    statement = COPY_SIGNATURES.format(most=MOST_PASSAGES)
    received = await copied_bytes(session, statement, tally.names)
    rows = np.frombuffer(memoryview(received)[_HEADER:-_TRAILER], dtype=_ROW)
    return weighed(rows["source"].astype(np.int64), np.ascontiguousarray(rows["places"]), len(tally.source_ids))


def weighed(source: Integers, places: Places, source_count: int) -> Witness | None:
    """From the signatures (P, PLACES) of passages and their sources (P,): for pairs of sources the log odds of copying.

    Of n passages of the source that has fewer, d have a near-duplicate in the other; a copier has them at one rate,
    others at another. Having none says nothing, as a copier may use words of its own.
    """
    first, second = near_duplicates(source, places)
    if not first.size:
        return None
    pair = np.minimum(source[first], source[second]) * source_count + np.maximum(source[first], source[second])
    low = np.where(source[first] < source[second], first, second)
    high = first + second - low
    names, place = np.unique(pair, return_inverse=True)
    shared = np.minimum(_distinct(place, low, names.size), _distinct(place, high, names.size))
    one, other = np.divmod(names, source_count)
    published = np.bincount(source, minlength=source_count)
    fewer = np.minimum(published[one], published[other])
    odds = shared * np.log(_COPIED / _BY_CHANCE) + (fewer - shared) * np.log((1 - _COPIED) / (1 - _BY_CHANCE))
    told = odds > 0
    return Witness(one[told], other[told], np.minimum(odds[told], _MOST_LOG_ODDS)) if told.any() else None


def near_duplicates(source: Integers, places: Places) -> tuple[Integers, Integers]:
    """Pairs of passages of different sources that agree in most places, none twice."""
    found = [_in_band(source, places[:, at : at + _BAND]) for at in range(0, PLACES, _BAND)]
    pairs = np.unique(np.concatenate(found), axis=0)
    alike = (places[pairs[:, 0]] == places[pairs[:, 1]]).mean(axis=1) >= _ALIKE
    return pairs[alike, 0], pairs[alike, 1]


def _in_band(source: Integers, band: Places) -> Integers:
    """(Q, 2) pairs of passages that agree in all places of a band, the smaller first."""
    order = np.lexsort(band.T)
    ordered = band[order]
    begins = np.flatnonzero(np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))[: order.size])
    size = np.diff(begins, append=order.size)
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for count in np.unique(size[(size > 1) & (size <= _STANDING_PHRASE)]).tolist():
        together = order[begins[size == count][:, None] + np.arange(count)]
        one, other = np.triu_indices(count, 1)
        pairs.append(np.stack((together[:, one].ravel(), together[:, other].ravel()), axis=1))
    both = np.sort(np.concatenate(pairs), axis=1)
    apart: Integers = both[source[both[:, 0]] != source[both[:, 1]]]
    return apart


def _distinct(place: Integers, passage: Integers, count: int) -> Integers:
    """(count,) how many different passages every pair of sources has."""
    once = np.unique(np.stack((place, passage)), axis=1)[0]
    return np.bincount(once, minlength=count)
