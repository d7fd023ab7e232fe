"""Labels from shared words alone, the baseline of the compact judge."""

import re
from collections.abc import Sequence

from answering.judges import Judgement, Label, Pair
from answering.questions.answer_type import content_words
from answering.text import squad_normalise
from tests.fakes.scripted_judge import ScriptedJudge


def lexical_labels(pairs: Sequence[Pair]) -> list[Label]:
    """The answer stands in the passage: supports; most words of the question do: contradicts; else irrelevant."""
    return [_label(pair) for pair in pairs]


def _label(pair: Pair) -> Label:
    question, _, answer = pair.claim.rpartition("? ")
    words, passage = squad_normalise(answer or pair.claim), squad_normalise(pair.passage)
    if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", passage):
        return Label.SUPPORTS
    return Label.CONTRADICTS if _coverage(question or pair.claim, pair.passage) >= 0.6 else Label.IRRELEVANT


def _coverage(question: str, text: str) -> float:
    """The share of the question's content words that occur in the text, in [0, 1]; 1 for a question without any."""
    words = content_words(question)
    return len(words & content_words(text)) / len(words) if words else 1.0


class LexicalJudge:
    """`lexical_labels` as a judge."""

    name = "words"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """A certain judgement for each pair."""
        labels = dict(zip(pairs, lexical_labels(pairs), strict=True))
        return await ScriptedJudge(lambda pair: labels[pair]).judge_all(pairs)

    async def aclose(self) -> None:
        """Nothing is open."""
