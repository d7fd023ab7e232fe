"""Words of Chinese and Japanese, which no spaces tell apart, and of Korean, to which endings are joined, for a search
that knows words only.
"""

import regex

_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u3005\u30fc]{2,}")


def with_bigrams(text: str) -> str:
    """The text with every two neighbouring characters of Chinese, Japanese or Korean as a word, as Lucene's CJK
    analyser makes them.

    >>> with_bigrams("The tower 東京塔 is red")
    'The tower  東京 京塔  is red'
    """
    return text if text.isascii() else _RUN.sub(_bigrams, text)


def _bigrams(run: regex.Match[str]) -> str:
    characters = run[0]
    return f" {' '.join(characters[at : at + 2] for at in range(len(characters) - 1))} "
