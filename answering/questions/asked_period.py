"""The days that a question is about by words such as `this week`, counted from when it is asked. English."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_WEEK: Final = re.compile(
    r"\b(?:(?:this|last|past|next)(?: past)? (?:week|weekend)|week['\u2019]s|yesterday|last night)\b", re.IGNORECASE
)
_MONTH: Final = re.compile(r"\b(?:this|last|past|next)(?: past)? month\b", re.IGNORECASE)
# Before and after the question. Chosen on news of 2022 and 2023, where a week and a month do the same
# (`python -m benchmarks.dates`); months, of which that news has three questions, by what the words mean.
WEEK_AROUND: Final = timedelta(days=15)
MONTH_AROUND: Final = timedelta(days=62)
# Calendars end there.
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AskedPeriod:
    """A period [start, end) around the time of a question, and the words that mean it."""

    words: str
    start: datetime
    end: datetime


def asked_period(question: str, asked_at: datetime) -> AskedPeriod | None:
    """The period in which a text has to be published to answer the question; None where it names none.

    >>> period = asked_period("Who won the regatta this week?", datetime(2026, 5, 20, tzinfo=UTC))
    >>> period.words, period.start.date().isoformat(), period.end.date().isoformat()
    ('this week', '2026-05-05', '2026-06-04')
    """
    for pattern, around in ((_WEEK, WEEK_AROUND), (_MONTH, MONTH_AROUND)):
        if said := pattern.search(question):
            start, end = max(asked_at, _EARLIEST + around) - around, min(asked_at, _LATEST - around) + around
            return AskedPeriod(said[0], start, end)
    return None
