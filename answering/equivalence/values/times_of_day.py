"""Times of day: 3 pm, 15:00, noon, half past three, 9:30 a.m. EST, 15:00 UTC+2.

A zone abbreviation with one offset worldwide is converted to UTC. One with several is a zone of its own name, as PST
may be Los Angeles or Manila: 3 pm PST equals 15:00 PST and no time in another zone. Without am or pm, 9:30 equals
neither 09:30 nor 21:30.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from answering.equivalence.values.number_words import spelled_cardinal
from answering.equivalence.values.value import Value, ValueKind

# In minutes. Each has this one offset in the IANA time zones since 1970 (a test looks), and no second meaning that
# these leave out, as EST and AST have in Australia and Arabia.
OFFSETS = {
    "utc": 0, "gmt": 0, "z": 0, "wet": 0, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "wat": 60, "cat": 120,
    "eat": 180, "pkt": 300, "wib": 420, "hkt": 480, "jst": 540, "awst": 480, "acst": 570, "acdt": 630, "aest": 600,
    "aedt": 660, "nzst": 720, "nzdt": 780, "akst": -540, "akdt": -480,
}  # fmt: skip
_NAMED_OFFSETS = {
    "coordinated universal time": 0, "greenwich mean time": 0, "central european time": 60,
    "pacific standard time": -480, "pacific daylight time": -420,
}  # fmt: skip
_ZONE_NAMES = {
    "eastern standard time": "est", "eastern daylight time": "edt", "eastern time": "et", "eastern": "et",
    "pacific time": "pt", "pacific": "pt", "central time": "ct", "mountain time": "mt",
}  # fmt: skip
OPEN_ZONES = (
    "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "ast", "adt", "hst", "nst", "ist", "idt", "bst", "sst",
    "gst", "wst", "msk", "kst", "sgt", "pht", "sast", "et", "ct", "mt", "pt", "local time",
)  # fmt: skip
_ZONES = sorted([*OFFSETS, *_NAMED_OFFSETS, *_ZONE_NAMES, *OPEN_ZONES], key=len, reverse=True)
_ZONE = "|".join(map(re.escape, _ZONES))
_SHIFT = r"(?:utc|gmt)? ?(?P<shift>[+-]\d{1,2}(?::?\d{2})?)"
_HALF = (
    r"(?P<half>am|pm|a\.m\.?|p\.m\.?|noon|midnight"
    r"|in the morning|in the afternoon|in the evening|at night|(?:am|a\.m\.) in the morning)"
)
# A closing bracket at the end of an answer is taken off before.
_CLOCK = re.compile(
    rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?)?"
    rf"(?P<oclock> ?o['\u2019]?clock)?(?: ?{_HALF})?"
    rf"(?: ?(?:\((?P<zone_in>{_ZONE})\)?|(?P<zone>{_ZONE})\b(?![+-])|{_SHIFT}))?",
    re.ASCII,
)
_PAST = re.compile(
    rf"(?P<part>half|(?:a )?quarter) (?P<side>past|to) (?P<hour>[a-z]+|\d{{1,2}})(?: {_HALF})?", re.ASCII
)
_OCLOCK = re.compile(rf"(?P<hour>[a-z]+) o['\u2019]?clock(?: {_HALF})?")
_NAMED = {"noon": 720, "midday": 720, "12 noon": 720, "midnight": 0, "12 midnight": 0}
_MORNING, _EVENING = ("am", "in the morning", "midnight"), ("pm", "in the afternoon", "in the evening", "noon")
_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class _ClockTime:
    """Minutes after midnight, or after midnight or noon if it is unknown which half of the day is meant."""

    minutes: Fraction
    half_known: bool


def parse_time_of_day(text: str) -> Value | None:
    """The time that the whole of a lower-case text spells; its magnitude is in minutes of local time."""
    if text in _NAMED:
        return _value(_ClockTime(Fraction(_NAMED[text]), half_known=True), None, None)
    clock_time = _past_the_hour(text) or _on_the_hour(text)
    if clock_time:
        return _value(clock_time, None, None)
    match = _CLOCK.fullmatch(text)
    clock_time = _clock(match) if match else None
    if match is None or clock_time is None:
        return None
    return _value(clock_time, match["zone"] or match["zone_in"], match["shift"])


def _clock(match: re.Match[str]) -> _ClockTime | None:
    if not match["minute"] and not match["half"] and not match["oclock"]:
        return None
    # 3.30 alone is a number.
    if "." in match[0].partition(" ")[0] and not match["half"]:
        return None
    minutes = 60 * int(match["hour"]) + int(match["minute"] or 0) + Fraction(int(match["second"] or 0), 60)
    if not match["half"] and (match["hour"].startswith("0") or int(match["hour"]) > 12):
        return _ClockTime(minutes, half_known=True) if minutes <= _DAY else None
    return _in_half(minutes, match["half"])


def _in_half(minutes: Fraction, half: str | None) -> _ClockTime | None:
    if not 0 <= minutes < 13 * 60:
        return None
    half = (half or "").replace(".", "").removesuffix(" in the morning") or half
    if half in _MORNING:
        return _ClockTime(minutes % 720, half_known=True)
    if half in _EVENING:
        return _ClockTime(minutes % 720 + 720, half_known=True)
    if half == "at night":
        return _ClockTime(minutes % 720 + (720 if 360 <= minutes < 720 else 0), half_known=True)
    return _ClockTime(minutes % 720, half_known=False)


def _past_the_hour(text: str) -> _ClockTime | None:
    match = _PAST.fullmatch(text)
    hour = _hour(match["hour"]) if match else None
    if match is None or hour is None:
        return None
    minutes = (30 if match["part"] == "half" else 15) * (1 if match["side"] == "past" else -1)
    return _in_half(Fraction((60 * hour + minutes) % 720), match["half"])


def _on_the_hour(text: str) -> _ClockTime | None:
    match = _OCLOCK.fullmatch(text)
    hour = _hour(match["hour"]) if match else None
    return _in_half(Fraction(60 * hour), match["half"]) if match and hour is not None else None


def _hour(word: str) -> int | None:
    hour = int(word) if word.isdecimal() else spelled_cardinal([word])
    return hour if hour is not None and 1 <= hour <= 12 else None


def _value(clock_time: _ClockTime, zone: str | None, shift: str | None) -> Value:
    abbreviation = _ZONE_NAMES.get(zone or "", zone)
    offset = _shift_minutes(shift) if shift else (OFFSETS | _NAMED_OFFSETS).get(abbreviation or "")
    if offset is not None and clock_time.half_known:
        text = f"{_digits((clock_time.minutes - offset) % _DAY)} utc"
    else:
        text = _digits(clock_time.minutes) + ("" if clock_time.half_known else "?")
        text += f" {abbreviation or shift}" if abbreviation or shift else ""
    return Value(ValueKind.TIME, text, clock_time.minutes)


def _shift_minutes(shift: str) -> int:
    digits = shift[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    return (60 * hours + minutes) * (-1 if shift[0] == "-" else 1)


def _digits(minutes: Fraction) -> str:
    whole = int(minutes)
    seconds = int((minutes - whole) * 60)
    return f"{whole // 60:02}:{whole % 60:02}" + (f":{seconds:02}" if seconds else "")
