"""Units of measurement and money: tables, and ratios and powers of their units (kilometres per hour, square miles).

Factors are exact fractions, so conversions are exact: 1 mile is 1.609344 km to the last digit. Each currency is a
dimension of its own, and so are months, gallons and tons, whose size depends on the month or the country.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache


class System(StrEnum):
    """System of measurement; numbers converted from one to another are usually rounded."""

    METRIC = "metric"
    IMPERIAL = "imperial"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Unit:
    """x of this unit is `x * factor + offset` of the base unit, which names the dimension."""

    dimension: str
    factor: Fraction
    system: System = System.OTHER
    offset: Fraction = Fraction(0)

    def to_base(self, number: Fraction) -> Fraction:
        return number * self.factor + self.offset


_PREFIXES = {
    "P": ("peta", Fraction(10**15)),
    "T": ("tera", Fraction(10**12)),
    "G": ("giga", Fraction(10**9)),
    "M": ("mega", Fraction(10**6)),
    "k": ("kilo", Fraction(10**3)),
    "h": ("hecto", Fraction(10**2)),
    "d": ("deci", Fraction("1e-1")),
    "c": ("centi", Fraction("1e-2")),
    "m": ("milli", Fraction("1e-3")),
    "μ": ("micro", Fraction("1e-6")),
    "n": ("nano", Fraction("1e-9")),
}
# symbols | names | dimension | factor | prefixes
_SI = """
m       | metre, meter                   | m   | 1      | k d c m μ n
g       | gram, gramme                   | kg  | 0.001  | k m μ
t       | tonne, metric ton              | kg  | 1000   |
s sec   | second                         | s   | 1      | m μ n
l L     | litre, liter                   | m3  | 0.001  | h d c m μ
W       | watt                           | W   | 1      | T G M k m
J       | joule                          | J   | 1      | T G M k
Wh      | watt-hour, watt hour           | J   | 3600   | T G M k
cal     | calorie                        | J   | 4.184  | k
eV      | electronvolt, electron volt    | eV  | 1      | T G M k
Hz      | hertz                          | Hz  | 1      | T G M k
V       | volt                           | V   | 1      | M k m
A       | ampere, amp                    | A   | 1      | k m
Ω       | ohm                            | Ω   | 1      | M k
N       | newton                         | N   | 1      | M k
Pa      | pascal                         | Pa  | 1      | G M k h
bar     | bar                            | Pa  | 100000 | m
K       | kelvin                         | K   | 1      |
B       | byte                           | B   | 1      | P T G M k
bit     | bit                            | bit | 1      | P T G M k
ha      | hectare                        | m2  | 10000  |
kph kmh |                                | m/s | 5/18   |
cc ccm  |                                | m3  | 0.000001 |
kms     |                                | m   | 1000   |
kgs     |                                | kg  | 1      |
"""
# symbols | names | dimension | factor
_IMPERIAL = """
mi      | mile                           | m   | 1609.344
yd yds  | yard                           | m   | 0.9144
ft      | foot, feet                     | m   | 0.3048
in ins  | inch, inches                   | m   | 0.0254
lb lbs  | pound                          | kg  | 0.45359237
oz      | ounce                          | kg  | 0.028349523125
st      | stone                          | kg  | 6.35029318
ac      | acre                           | m2  | 4046.8564224
mph     |                                | m/s | 0.44704
psi     |                                | Pa  | 6894.757293168361
"""
_OTHER = """
nmi     | nautical mile                  | m   | 1852
ly      | light-year, light year         | m   | 9460730472580800
au      | astronomical unit              | m   | 149597870700
kn      | knot                           | m/s | 463/900
min mins| minute                         | s   | 60
h hr hrs| hour                           | s   | 3600
        | day                            | s   | 86400
wk wks  | week                           | s   | 604800
        | fortnight                      | s   | 1209600
mo mos  | month                          | month | 1
yr yrs  | year                           | month | 12
        | decade                         | month | 120
        | century, centuries             | month | 1200
        | millennium, millennia          | month | 12000
atm     | atmosphere                     | Pa  | 101325
hp      | horsepower                     | hp  | 1
kb      |                                | bit | 1000
Mb      |                                | bit | 1000000
Gb      |                                | bit | 1000000000
Tb      |                                | bit | 1000000000000
dB      | decibel                        | dB  | 1
ct      | carat, karat                   | ct  | 1
gal     | gallon                         | gal | 1
bbl     | barrel                         | bbl | 1
        | ton                            | ton | 1
° deg   | degree                         | °   | 1
%       | percent, per cent, pct         | %   | 1
‰       | per mille, permille            | %   | 0.1
        | percentage point               | percentage point | 1
        | cent                           | cent | 1
"""
# symbols | names | dimension
_CURRENCIES = """
$ US$ USD | dollar, us dollar, american dollar | USD
€ EUR   | euro                           | EUR
£ GBP   | pound sterling, pounds sterling, british pound | GBP
¥ JPY   | yen, japanese yen              | JPY
CNY RMB | yuan, renminbi, chinese yuan   | CNY
₹ INR Rs | rupee, indian rupee           | INR
₩ KRW   | won, korean won                | KRW
₽ RUB   | ruble, rouble, russian ruble   | RUB
CHF     | swiss franc                    | CHF
A$ AUD  | australian dollar              | AUD
C$ CAD  | canadian dollar                | CAD
NZ$ NZD | new zealand dollar             | NZD
HK$ HKD | hong kong dollar               | HKD
S$ SGD  | singapore dollar               | SGD
R$ BRL  | brazilian real, brazilian reais | BRL
₺ TRY   | turkish lira                   | TRY
₪ ILS   | shekel, israeli shekel         | ILS
฿ THB   | baht, thai baht                | THB
₦ NGN   | naira, nigerian naira          | NGN
₴ UAH   | hryvnia, ukrainian hryvnia     | UAH
zł PLN  | zloty, złoty, polish zloty     | PLN
SEK     | swedish krona, swedish kronor  | SEK
NOK     | norwegian krone, norwegian kroner | NOK
DKK     | danish krone, danish kroner    | DKK
MXN     | mexican peso                   | MXN
ZAR     | south african rand             | ZAR
"""
_CURRENCY_SYMBOLS = [symbol for line in _CURRENCIES.strip().splitlines() for symbol in line.split("|")[0].split()]
CURRENCY_SIGNS = tuple(sorted((*_CURRENCY_SYMBOLS, "Rs."), key=len, reverse=True))
"""Signs and codes, the longest first: US$ before $."""

_TEMPERATURES = (
    ("°C", ("celsius", "centigrade", "c"), Unit("K", Fraction(1), System.METRIC, Fraction("273.15"))),
    ("°F", ("fahrenheit", "f"), Unit("K", Fraction(5, 9), System.IMPERIAL, Fraction("459.67") * Fraction(5, 9))),
)

_POWER = re.compile(r"(?:(?P<word>square|sq|cubic|cu) )?(?P<unit>.+?)(?:\^?(?P<digit>[23])| (?P<after>squared|cubed))?")
_POWER_OF = {"square": 2, "sq": 2, "squared": 2, "2": 2, "cubic": 3, "cu": 3, "cubed": 3, "3": 3}


def _units(table: str, system: System) -> Iterator[tuple[list[str], list[str], Unit]]:
    """The symbols, the names and the unit of each row, also with each prefix."""
    for line in table.strip().splitlines():
        symbols, names, dimension, *rest = (cell.strip() for cell in line.split("|"))
        words = [name.strip() for name in names.split(",") if name.strip()]
        factor = Fraction(rest[0] if rest else 1)
        yield symbols.split(), words, Unit(dimension, factor, system)
        for prefix in " ".join(rest[1:]).split():
            name, size = _PREFIXES[prefix]
            prefixed = [prefix + symbol for symbol in symbols.split() if symbol != "sec"]
            yield prefixed, [name + word for word in words], Unit(dimension, factor * size, system)


def _temperature_names(scale: str) -> Iterator[str]:
    """`degrees Celsius`, `° C` and the like; the letter alone is no unit."""
    yield from (f"{degree} {scale}" for degree in ("degree", "degrees", "°", "deg"))
    if len(scale) > 1:
        yield scale


_ALL_UNITS = (
    *_units(_SI, System.METRIC),
    *_units(_IMPERIAL, System.IMPERIAL),
    *_units(_OTHER, System.OTHER),
    *_units(_CURRENCIES, System.OTHER),
    *(
        ([sign], [name for scale in scales for name in _temperature_names(scale)], unit)
        for sign, scales, unit in _TEMPERATURES
    ),
)
_BY_SYMBOL = {symbol: unit for symbols, _, unit in _ALL_UNITS for symbol in symbols}
_BY_NAME = {spelling: unit for _, names, unit in _ALL_UNITS for name in names for spelling in (name, name + "s")}


def _unambiguous_without_case() -> dict[str, Unit]:
    """Symbols of two letters or more that mean one unit in any case: KM is km, but MW and mW differ."""
    meanings: defaultdict[str, set[Unit]] = defaultdict(set)
    for symbol, unit in _BY_SYMBOL.items():
        meanings[symbol.casefold()].add(unit)
    return {symbol: units.pop() for symbol, units in meanings.items() if len(symbol) > 1 and len(units) == 1}


_WITHOUT_CASE = _unambiguous_without_case()


@lru_cache(maxsize=10_000)
def find_unit(text: str) -> Unit | None:
    """The unit that a text names by symbols (case matters: mW, MW) or words; None if it names none.

    >>> find_unit("square miles") == find_unit("sq. mi")
    True
    >>> find_unit("members") is None
    True
    """
    name = " ".join(text.replace(".", "").split())
    return _simple(name) or _ratio(name) or _power(name)


def _simple(text: str) -> Unit | None:
    folded = text.casefold()
    return _BY_SYMBOL.get(text) or _BY_NAME.get(folded) or _WITHOUT_CASE.get(folded)


def _ratio(text: str) -> Unit | None:
    above, mark, below = text.replace(" per ", "/").partition("/")
    if not mark:
        return None
    over, under = find_unit(above), _simple(below.strip())
    if over is None or under is None or over.offset or under.offset:
        return None
    return Unit(f"{over.dimension}/{under.dimension}", over.factor / under.factor, over.system)


def _power(text: str) -> Unit | None:
    match = _POWER.fullmatch(text)
    marks = [match[group] for group in ("word", "digit", "after") if match[group]] if match else []
    unit = _simple(match["unit"]) if match and len(marks) == 1 else None
    if unit is None or unit.dimension != "m":
        return None
    power = _POWER_OF[marks[0]]
    return Unit(f"m{power}", unit.factor**power, unit.system)
