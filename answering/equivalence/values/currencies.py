"""Money: a table of currencies, each a dimension of its own, as no amount of one is an amount of another."""

# symbols | names | dimension | factor, as in the tables of units
CURRENCIES = """
$ US$ USD | dollar, us dollar, american dollar | USD | 1
€ EUR   | euro                           | EUR | 1
£ GBP   | pound sterling, pounds sterling, british pound | GBP | 1
¥ JPY   | yen, japanese yen              | JPY | 1
CNY RMB | yuan, renminbi, chinese yuan   | CNY | 1
₹ INR Rs | rupee, indian rupee           | INR | 1
₩ KRW   | won, korean won                | KRW | 1
₽ RUB   | ruble, rouble, russian ruble   | RUB | 1
CHF     | swiss franc                    | CHF | 1
A$ AUD  | australian dollar              | AUD | 1
C$ CAD  | canadian dollar                | CAD | 1
NZ$ NZD | new zealand dollar             | NZD | 1
HK$ HKD | hong kong dollar               | HKD | 1
S$ SGD  | singapore dollar               | SGD | 1
R$ BRL  | brazilian real, brazilian reais | BRL | 1
₺ TRY   | turkish lira                   | TRY | 1
₪ ILS   | shekel, israeli shekel         | ILS | 1
฿ THB   | baht, thai baht                | THB | 1
₦ NGN   | naira, nigerian naira          | NGN | 1
₴ UAH   | hryvnia, ukrainian hryvnia     | UAH | 1
zł PLN  | zloty, złoty, polish zloty     | PLN | 1
SEK     | swedish krona, swedish kronor  | SEK | 1
NOK     | norwegian krone, norwegian kroner | NOK | 1
DKK     | danish krone, danish kroner    | DKK | 1
MXN     | mexican peso                   | MXN | 1
ZAR     | south african rand             | ZAR | 1
"""
_SYMBOLS = [symbol for line in CURRENCIES.strip().splitlines() for symbol in line.split("|")[0].split()]

CURRENCY_SIGNS = tuple(sorted((*_SYMBOLS, "Rs."), key=len, reverse=True))
"""Signs and codes, the longest first: US$ before $."""
