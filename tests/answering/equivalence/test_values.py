# ruff: noqa: RUF001  characters that look like others are what is tested
"""What answers mean as values: spellings that are one, and neighbours that are not."""

import calendar
import re
from collections import defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import assume, given
from hypothesis import strategies as st

from answering.equivalence.values import MAX_VALUE_CHARACTERS, Value, ValueKind, parse_value
from answering.equivalence.values.times_of_day import OFFSETS, OPEN_ZONES
from answering.equivalence.values.units import System, find_unit
from answering.equivalence.values.value import number_text, ordinal_text
from tests.tables import for_each

ONE_VALUE = {
    "number:1000": ["1,000", "1000", "one thousand", "a thousand", "1 000", "1'000", "1000.0", "1e3", "10^3", "10³"],
    "number:3500000": ["3.5 million", "3,500,000", "three and a half million", "3.5M", "3.5 mn", "35 lakh"],
    "number:3559": [
        "3,559",
        "3559",
        "three thousand five hundred and fifty-nine",
        "**3,559**",
        "(3559)",
        "3559.",
        "(3,559",
        "3,559)",
    ],
    "number:1994": [
        "1994",
        "nineteen ninety-four",
        "in 1994",
        "the year 1994",
        "1994 AD",
        "c. 1994",
        "١٩٩٤",
        "１９９４",
    ],
    "number:0.5": ["0.5", ".5", "½", "half", "a half", "1/2", "zero point five"],
    "number:2.5": ["2½", "2 1/2", "two and a half", "2.5", "2.50"],
    "number:2/3": ["2/3", "two thirds", "⅔"],
    "number:-5": ["-5", "−5", "minus five", "negative 5"],
    "number:24": ["24", "two dozen", "twenty-four", "Twenty four"],
    "number:100000": ["100,000", "1,00,000", "one lakh", "a hundred thousand", "1 lakh"],
    "number:1905": ["1905", "nineteen oh five"],
    "number:602000000000000000000000": ["6.02×10²³", "6.02 x 10^23", "6.02e23"],
    "ordinal:21": ["21st", "twenty-first", "the twenty first"],
    "ordinal:200": ["200th", "two hundredth"],
    "date:1874-05-03": [
        "3 May 1874",
        "May 3, 1874",
        "1874-05-03",
        "1874/5/3",
        "3.5.1874",
        "3rd of May, 1874",
        "on the 3rd of May 1874",
        "Sunday, 3 May 1874",
        "May 3rd 1874",
        "1874 May 3",
        "3-May-1874",
        "MAY 3 1874.",
        "the third of May 1874",
    ],
    "date:1874-05-23": ["23/5/1874", "5/23/1874", "23.05.1874", "May 23, 1874"],
    "date:1874-05": ["May 1874", "1874-05", "in May, 1874", "May of 1874"],
    "date:--05-03": ["3 May", "May 3rd", "the 3rd of May"],
    "date:--02-29": ["29 February", "Feb. 29"],
    "date:-44": ["44 BC", "44 B.C.", "44 BCE"],
    "date:-44-03-15": ["15 March 44 BC", "March 15, 44 B.C."],
    "quantity:42 m": [
        "42 m",
        "42 metres",
        "42m",
        "42-metre",
        "42 meters tall",
        "about 42 m",
        "forty-two metres",
        "0.042 km",
    ],
    "quantity:1609.344 m": ["1 mile", "one mile", "1.609344 km", "1,760 yards", "5280 ft"],
    "quantity:1.778 m": ["5 ft 10 in", "5'10\"", "5′ 10″", "five feet ten inches", "70 inches", "5 feet, 10 inches"],
    "quantity:9000 s": ["2 hours 30 minutes", "2 h and 30 min", "150 min", "2.5 hours", "two and a half hours"],
    "quantity:268.15 K": ["-5 °C", "minus five degrees Celsius", "23 °F", "−5℃"],
    "quantity:50/3 m/s": ["60 km/h", "60 km per hour", "60 kph", "sixty kilometres per hour"],
    "quantity:5000000 m2": ["5 km²", "5 km^2", "5 square kilometres", "5 sq. km", "500 ha"],
    "quantity:5000000 W": ["5 MW", "5 megawatts", "5,000 kW"],
    "quantity:0.005 W": ["5 mW", "5 milliwatts"],
    "quantity:50 %": ["50%", "50 percent", "fifty per cent", "５０％"],
    "quantity:3500000 USD": ["$3.5 million", "$3.5m", "3.5 million dollars", "US$ 3,500,000", "USD 3.5 million"],
    "quantity:5 EUR": ["€5", "5 €", "five euros", "EUR 5"],
    "quantity:18 month": ["18 months", "1.5 years", "one year six months"],
    "date:1874 3/5": ["3/5/1874", "03/05/1874", "3-5-1874"],
    "date:early 1990-07": ["early July 1990", "in early July 1990", "early July, 1990"],
    "date:mid 1990": ["mid-1990", "the middle of 1990"],
    "date:-10000": ["10,000 BC", "10000 BCE"],
    "range:20000000..30000000 USD": ["$20-30 million", "$20 million to $30 million", "between $20m and $30m"],
    "range:1999..2000": ["1999-00", "1999–2000"],
    "date:1960s": ["the 1960s", "1960's", "the nineteen sixties"],
    "date:late 19th century": ["late 19th century", "late nineteenth century", "late XIX century"],
    "date:3rd century bc": ["3rd century BC", "third century B.C.E."],
    "date:2010-autumn": ["fall of 2010", "Autumn 2010", "in the fall of 2010"],
    "date:2010-q3": ["Q3 2010", "2010 Q3", "the third quarter of 2010"],
    "time:15:00": [
        "3 pm",
        "3:00 PM",
        "15:00",
        "3 o'clock in the afternoon",
        "three o'clock in the afternoon",
        "3 p.m.",
    ],
    "time:12:00": ["noon", "12 pm", "12 noon", "midday"],
    "time:00:00": ["midnight", "12 am", "00:00", "0:00"],
    "time:09:30?": ["9:30", "half past nine", "9:30 o'clock"],
    "time:13:00 utc": ["15:00 UTC+2", "13:00 GMT", "1 pm UTC", "15:00 +02:00", "3 pm CEST", "10 pm JST", "9 pm HKT"],
    "time:15:00 cst": ["3 pm CST", "15:00 CST"],
    "time:15:00 pst": ["3 pm PST", "15:00 PST"],
    "bound:over 3500": ["over 3,500", "more than 3500", "upwards of 3,500", "more than about 3,500"],
    "bound:at least 18": ["at least 18", "18+", "18 or more", "no fewer than eighteen"],
    "bound:nearly 42 m": ["almost 42 m", "nearly 42 metres", "just under 42 m"],
    "bound:before 1850": ["before 1850", "prior to 1850"],
    "quantity:3559 person": ["3,559 people", "3559 inhabitants", "about 3,559 residents"],
    "quantity:504 month": ["42 years", "42 years old", "aged 42", "42-year-old", "42 years of age", "at the age of 42"],
    "quantity:5400 s": ["an hour and a half", "1.5 h"],
    "range:1990-06-05..1990-06-07": ["5-7 June 1990", "June 5–7, 1990", "from 5 June 1990 to 7 June 1990"],
    "range:1914..1918": ["1914-1918", "1914–18", "from 1914 to 1918", "1914 to 1918", "between 1914 and 1918"],
    "range:5000..10000 m": ["5-10 km", "5 km to 10 km", "five to ten kilometres"],
}


FRAGMENTS = sorted({part for answers in ONE_VALUE.values() for answer in answers for part in re.split(r"\b", answer)})


@for_each(("answer", "key"), [(answer, key) for key, answers in ONE_VALUE.items() for answer in answers])
def test_spellings_of_one_value(answer: str, key: str) -> None:
    value = parse_value(answer)
    assert value is not None
    assert value.key == key


@for_each(
    "answer",
    [
        "",
        "Ilse Varn",
        "007",
        "02139",
        "31 February 1990",
        "29 February 1900",
        "13.13.2000",
        "9/11",
        "3,5",
        "1.2.3",
        "3-2",
        "10 Downing Street",
        "42 members",
        "5 M",
        "5 mw",
        "no one",
        "may",
        "one two three",
        "hundred",
        "1e999",
        "5 km 10 km",
        "5 km 3 hours",
        "three score and ten",
        "1,0000",
        "1,000 2,000",
    ],
)
def test_what_is_no_value_or_a_guess_stays_text(answer: str) -> None:
    assert parse_value(answer) is None


@for_each(
    ("answer", "other"),
    [
        ("1994", "1995"),
        ("3,559", "3,595"),
        ("1,000", "1.000"),
        ("3.5", "35"),
        ("-5", "5"),
        ("10²", "102"),
        ("2½", "21/2"),
        ("1874", "3 May 1874"),
        ("May 1874", "3 May 1874"),
        ("44", "44 BC"),
        ("3 May", "5 March"),
        ("42", "42 m"),
        ("42 m", "42 km"),
        ("42 m", "42 minutes"),
        ("5 MW", "5 mW"),
        ("50%", "50"),
        ("$5", "€5"),
        ("$5", "5 cents"),
        ("1", "1st"),
        ("5 million", "5 billion"),
        ("1914-1918", "1914-1919"),
        ("30 days", "1 month"),
        ("90 °C", "90°"),
        ("1 mile", "1.6 km"),
        ("5 GB", "5 Gb"),
        ("over 5", "5"),
        ("over 5", "at least 5"),
        ("after 5", "after 5th"),
        ("3 pm", "3 am"),
        ("3.30", "3:30"),
        ("3 pm EST", "3 pm"),
        ("1960s", "1960"),
        ("1960s", "1860s"),
        ("3rd century BC", "3rd century"),
        ("5-7 June 1990", "5-7 July 1990"),
    ],
)
def test_neighbouring_values_differ(answer: str, other: str) -> None:
    ours, theirs = parse_value(answer), parse_value(other)
    assert (ours and ours.key) != (theirs and theirs.key)


def test_a_value_keeps_the_number_as_it_was_written() -> None:
    value = parse_value("1.5 km")
    assert value == Value(ValueKind.QUANTITY, "1500 m", Fraction(3, 2), find_unit("km"))
    assert value.unit is not None
    assert value.unit.system is System.METRIC


@given(st.integers(min_value=-(10**30), max_value=10**30))
def test_every_grouping_of_an_integer_is_that_integer(number: int) -> None:
    plain = parse_value(str(number))
    assert plain is not None
    assert plain.text == str(number)
    assert parse_value(f"{number:,}") == plain
    assert parse_value(f"{number:,}.00") == plain


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_spelling_of_a_date_is_that_date(day: date) -> None:
    month = calendar.month_name[day.month]
    spellings = [
        day.isoformat(),
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{ordinal_text(day.day)} of {month[:3]}. {day.year}",
        f"{day.day}.{day.month}.{day.year}",
        f"{calendar.day_name[day.weekday()]}, {month} {ordinal_text(day.day)}, {day.year}",
    ]
    assert {value.key for value in map(parse_value, spellings) if value} == {f"date:{day.isoformat()}"}
    assert all(map(parse_value, spellings))


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=400))
def test_the_text_of_a_number_is_exact(number: Fraction) -> None:
    assert Fraction(number_text(number)) == number


@given(st.decimals(min_value=0, max_value=10**6, places=3), st.sampled_from([("km", "m", 1000), ("kg", "g", 1000)]))
def test_conversion_is_exact(amount: Fraction, units: tuple[str, str, int]) -> None:
    large, small, ratio = units
    scaled = number_text(Fraction(amount) * ratio)
    ours, theirs = parse_value(f"{amount:f} {large}"), parse_value(f"{scaled} {small}")
    assert ours is not None
    assert theirs is not None
    assert ours.key == theirs.key


@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join)))
def test_white_space_around_any_text_changes_nothing(text: str) -> None:
    assume(len(text) <= MAX_VALUE_CHARACTERS - 2)
    assert parse_value(f" {text}\n") == parse_value(text)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=16))
def test_more_white_space_between_any_words_changes_nothing(words: list[str]) -> None:
    spaced = "  ".join(words)
    assume(len(spaced) <= MAX_VALUE_CHARACTERS)
    assert parse_value(spaced) == parse_value(" ".join(words))


@for_each("part", ["1,", "1 ", "1-", "one ", "a half and ", "5 ft ", "in ", "(", "~", "$5 m", "1'", "may "])
def test_hostile_input_is_bounded(part: str) -> None:
    """Quadratic time would exceed the limit of every test."""
    assert parse_value(part * 1_000_000) is None
    assert parse_value((part * MAX_VALUE_CHARACTERS)[:MAX_VALUE_CHARACTERS]) is None


def offsets_since_1970() -> dict[str, set[int]]:
    """Minutes from UTC of every abbreviation in the IANA time zones, at noon in the middle of each month."""
    offsets: defaultdict[str, set[int]] = defaultdict(set)
    noons = [datetime(year, month, 15, 12) for year in range(1970, 2027) for month in range(1, 13)]  # noqa: DTZ001
    for zone in map(ZoneInfo, sorted(available_timezones())):
        for noon in noons:
            local = noon.replace(tzinfo=zone)
            offsets[(local.tzname() or "").lower()].add(int((local.utcoffset() or timedelta()) / timedelta(minutes=1)))
    return offsets


def test_only_abbreviations_of_one_offset_are_converted() -> None:
    known = offsets_since_1970()
    assert {name: known[name] for name in OFFSETS if name != "z"} == {
        name: {offset} for name, offset in OFFSETS.items() if name != "z"
    }
    assert all(len(known[name]) > 1 for name in ("pst", "pdt", "cst", "cdt", "ist", "bst", "msk", "kst"))
    assert OFFSETS.keys().isdisjoint(OPEN_ZONES)
