"""Ordinary words of English, told from names that somebody wrote in small letters."""

import json
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

# Of `parks` and `promoting` only the stem is a token. What is left must be long enough to be a word.
_ENDINGS = (("ies", "y"), ("s", ""), ("es", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("ly", ""))
_SHORTEST_STEM = 4
_TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"
_WORD_START = "\u2581"


def is_ordinary_word(word: str) -> bool:
    """Whether a word in small letters, or its stem, is one token of the vocabulary of the default embedder.

    That vocabulary was learnt from text with its capital letters, so that `public` is one token and `morocco` three:
    of the 335 words in the names of all territories it has `island`, `north` and the like, and few names (`europe`).

    >>> [is_ordinary_word(word) for word in ("parks", "morocco")]
    [True, False]
    """
    if word in _vocabulary():
        return True
    stems = (word.removesuffix(ending) + letter for ending, letter in _ENDINGS if word.endswith(ending))
    return any(len(stem) >= _SHORTEST_STEM and stem in _vocabulary() for stem in stems)


@cache
def _vocabulary() -> frozenset[str]:
    # Found without importing the package, which takes most of a second.
    path = Path(str(distribution("wordllama").locate_file(_TOKENIZER)))
    words = json.loads(path.read_bytes())["model"]["vocab"]
    return frozenset(word.removeprefix(_WORD_START) for word in words if word.startswith(_WORD_START))
