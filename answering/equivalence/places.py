"""Countries and their larger parts: what may follow a comma to say where a place is, as in `Paris, France`."""

import unicodedata
from functools import cache

from babel import Locale

from answering.text import squad_normalise

US_STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho",
    "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
    "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada",
    "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina",
    "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania",
    "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas",
    "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia",
    "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip

_NO_COUNTRIES = {"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"}
_NOT_IN_CLDR = """
czech republic, england, ivory coast, macau, northern ireland, palestine, scotland, soviet union, turkey, wales,
alberta, british columbia, manitoba, new brunswick, newfoundland, newfoundland and labrador, nova scotia, ontario,
prince edward island, quebec, saskatchewan, yukon, new south wales, queensland, south australia, tasmania, victoria,
western australia, bavaria, saxony, catalonia, andalusia, sicily, sardinia, lombardy, tuscany, brittany, normandy,
district of columbia, punjab, kerala, tamil nadu, maharashtra, gujarat, rajasthan, bihar, west bengal, uttar pradesh,
karnataka, crimea, siberia, kashmir, tibet
"""


@cache
def regions() -> frozenset[str]:
    """Normalised English names of countries (Babel, CLDR), the states of the USA and some parts of other countries."""
    territories = Locale("en").territories.items()
    countries = (name for code, name in territories if len(code) == 2 and code not in _NO_COUNTRIES)
    return frozenset(map(_normalised, (*countries, *US_STATES.values(), *_NOT_IN_CLDR.split(","))))


def _normalised(name: str) -> str:
    """`St. Pierre & Miquelon` as `saint pierre and miquelon`, `Congo - Kinshasa` as `congo`."""
    common = name.partition(" (")[0].partition(" - ")[0].removesuffix(" SAR China")
    unmarked = unicodedata.normalize("NFD", common).encode("ascii", "ignore").decode()
    for written, meant in (("St. ", "Saint "), ("U.S. ", "United States "), ("&", "and"), ("-", " ")):
        unmarked = unmarked.replace(written, meant)
    return squad_normalise(unmarked)
