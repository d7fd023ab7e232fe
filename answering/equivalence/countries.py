"""Countries and parts of them: what may stand behind a comma to say where a place is, as in Paris, France."""

STATE_CODES = {
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

_COUNTRIES = """
afghanistan, albania, algeria, andorra, angola, antigua and barbuda, argentina, armenia, australia, austria, azerbaijan,
bahamas, bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia and herzegovina,
botswana, brazil, brunei, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, cape verde,
central african republic, chad, chile, china, colombia, comoros, congo, costa rica, croatia, cuba, cyprus,
czech republic, czechia, denmark, djibouti, dominica, dominican republic, ecuador, egypt, el salvador, england,
equatorial guinea, eritrea, estonia, eswatini, ethiopia, fiji, finland, france, gabon, gambia, georgia, germany, ghana,
greece, grenada, guatemala, guinea, guinea bissau, guyana, haiti, honduras, hungary, iceland, india, indonesia, iran,
iraq, ireland, israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, kiribati, kosovo, kuwait,
kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania, luxembourg, madagascar, malawi,
malaysia, maldives, mali, malta, marshall islands, mauritania, mauritius, mexico, micronesia, moldova, monaco, mongolia,
montenegro, morocco, mozambique, myanmar, namibia, nauru, nepal, netherlands, new zealand, nicaragua, niger, nigeria,
north korea, north macedonia, northern ireland, norway, oman, pakistan, palau, palestine, panama, papua new guinea,
paraguay, peru, philippines, poland, portugal, qatar, romania, russia, rwanda, samoa, san marino, saudi arabia,
scotland, senegal, serbia, seychelles, sierra leone, singapore, slovakia, slovenia, solomon islands, somalia,
south africa, south korea, south sudan, soviet union, spain, sri lanka, sudan, suriname, sweden, switzerland, syria,
taiwan, tajikistan, tanzania, thailand, timor leste, togo, tonga, trinidad and tobago, tunisia, turkey, turkmenistan,
tuvalu, uganda, ukraine, united arab emirates, united kingdom, united states, uruguay, uzbekistan, vanuatu,
vatican city, venezuela, vietnam, wales, yemen, zambia, zimbabwe
"""
_PARTS = """
alberta, british columbia, manitoba, new brunswick, newfoundland, newfoundland and labrador, nova scotia, ontario,
prince edward island, quebec, saskatchewan, yukon, new south wales, queensland, south australia, tasmania, victoria,
western australia, bavaria, saxony, catalonia, andalusia, sicily, sardinia, lombardy, tuscany, brittany, normandy,
puerto rico, guam, greenland, hong kong, macau, bermuda, gibraltar, district of columbia, punjab, kerala, tamil nadu,
maharashtra, gujarat, rajasthan, bihar, west bengal, uttar pradesh, karnataka, crimea, siberia, kashmir, tibet
"""
REGIONS = frozenset(
    name.strip() for names in (_COUNTRIES, _PARTS, ",".join(STATE_CODES.values()).lower()) for name in names.split(",")
)
"""Folded names without articles."""
