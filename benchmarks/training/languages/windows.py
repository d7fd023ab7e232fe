"""Questions in many languages as windows of tokens, each question with passages that do not answer it."""

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from answering.compact.windows import windows
from answering.e5.encoder import PASSAGE, QUESTION
from answering.e5.tokenizer import BEGIN, END, E5Tokenizer
from benchmarks.data.squad import Example, find_answer
from benchmarks.training.reader.data import nearest
from benchmarks.training.reader.features import WINDOW_TOKENS, Feature, Windows, chosen_feature

# Passages without the answer, of the same set, that share most sequences of letters with a question.
NEAR = 1
LETTERS = (2, 4)


def make_windows(tokenizer: E5Tokenizer, sets: Sequence[Sequence[Example]], random: Random) -> Windows:
    """The windows of all questions, those of one question together, in a random order."""
    questions = [question for examples in sets for question in with_near_passages(examples)]
    random.shuffle(questions)
    return Windows.of(
        (number, feature)
        for number, examples in enumerate(questions)
        for example in examples
        if (feature := _feature(tokenizer, example, random)) is not None
    )


def with_near_passages(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Each question with its passage and near ones that hold none of its answer."""
    passages = sorted({example.passage for example in examples})
    letters = TfidfVectorizer(
        analyzer="char_wb", ngram_range=LETTERS, sublinear_tf=True, max_features=200_000, dtype=np.float32
    )
    near_each = nearest(examples, passages, min(NEAR + 1, len(passages) - 1), letters)
    for example, near in zip(examples, near_each, strict=True):
        others = [passages[place] for place in near if passages[place] != example.passage]
        kept = [other for other in others if find_answer(other, example.answer) is None][:NEAR]
        yield [example, *(Example(example.question, other, None, example.topic) for other in kept)]


def _feature(tokenizer: E5Tokenizer, example: Example, random: Random) -> Feature | None:
    tokens, offsets = tokenizer.located(example.passage)
    # The prefixes that the encoder was trained with: one as of the question, one as what stands above the passage.
    asked, above = tokenizer.tokens(QUESTION + example.question), tokenizer.tokens(PASSAGE)
    cut = windows(asked, tokens, context=above, max_tokens=WINDOW_TOKENS, marks=(BEGIN, END))
    return chosen_feature(cut, offsets, example.span, random)
