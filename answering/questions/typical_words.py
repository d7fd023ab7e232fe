"""The words that distinguish groups of questions from each other."""

import math
from collections import Counter
from collections.abc import Sequence

from answering.questions.answer_type import FUNCTION_WORDS
from answering.text import tokenize

MOST_WORDS = 3
"""Words of a group."""
# A word that says much less than the first one is left out.
_SHARE_OF_BEST = 0.25


def typical_words(topics: Sequence[Sequence[str]]) -> list[list[str]]:
    """The words that distinguish the queries of each topic most from those of all others, the most typical first.

    Words are ordered by what each adds to the Kullback-Leibler divergence between the shares of queries that have it;
    unlike c-TF-IDF, this drops words that are as frequent everywhere without a list of them for every language.
    """
    counts = [Counter(word for text in texts for word in _words(text)) for texts in topics]
    total = sum(counts, Counter[str]())
    query_count = sum(map(len, topics))
    return [
        _most_telling(
            {
                word: _divergence(
                    (count + 0.5) / (len(texts) + 1),
                    (total[word] - count + 0.5) / (query_count - len(texts) + 1),
                )
                for word, count in own.items()
            }
        )
        for texts, own in zip(topics, counts, strict=True)
    ]


def _divergence(here: float, elsewhere: float) -> float:
    return here * math.log(here / elsewhere)


def _most_telling(score: dict[str, float]) -> list[str]:
    ordered = sorted(score, key=lambda word: (-score[word], word))[:MOST_WORDS]
    return [word for word in ordered if score[word] > max(0.0, _SHARE_OF_BEST * score[ordered[0]])]


def _words(text: str) -> set[str]:
    """The words of a query but for those of grammar, and for single letters, such as the `s` of a genitive."""
    return {word for word in tokenize(text) if word not in FUNCTION_WORDS and (len(word) > 1 or not word.isascii())}
