"""Whether a span stands in what its passage says of the subject of the question, and not of its neighbour. English.

The reader looks for the relation: in a text on Belgium it finds a capital, whatever country was asked for. So the names
of the question are looked for in the sentence of the span, in the context of its passage and in the whole passage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answering.questions.names import Mention, NamedText, question_names
from answering.text.sentences import sentence_spans

_LACKING = (Mention.NONE, Mention.PART, Mention.LONGER)
SUBJECT_FEATURES = (
    *(f"{scope}_{level.name.lower()}" for scope in ("near", "anywhere") for level in _LACKING),
    "missing",
    "rival",
)
"""How a span's sentence and passage lack the subject; all are 0 where both mention the whole name."""


@dataclass(frozen=True, slots=True)
class SubjectEvidence:
    """How the sentence of a span, with its context, and how the passage mention the names of a question.

    Both are those of the name that is mentioned least; `WHOLE` for a question without names.
    """

    near: Mention
    anywhere: Mention
    missing: float
    """The share of the names of which neither sentence nor context says anything."""
    rival: bool
    """Whether the sentence names somebody or something else instead."""

    @property
    def features(self) -> Mapping[str, float]:
        """The values of `SUBJECT_FEATURES`."""
        levels = {
            f"{scope}_{level.name.lower()}": float(found is level)
            for scope, found in (("near", self.near), ("anywhere", self.anywhere))
            for level in _LACKING
        }
        return levels | {"missing": self.missing, "rival": float(self.rival)}

    def logit(self, weights: Mapping[str, float]) -> float:
        """What is added to the logit of the reading, by the weights of the features."""
        return sum(weights[name] * value for name, value in self.features.items())


class SubjectCheck:
    """The names of a question, looked for in its passages and their contexts."""

    def __init__(self, question: str, passages: Sequence[str], contexts: Sequence[str]) -> None:
        self._passages = [NamedText(passage) for passage in passages]
        self._contexts = [NamedText(context) for context in contexts] or [NamedText("")] * len(passages)
        self._sentences = [sentence_spans(passage) for passage in passages]
        self._asked = NamedText(question).folded
        self._names = question_names(question, [*self._passages, *self._contexts])

    @property
    def unmentioned(self) -> bool:
        """Whether no passage and no context mentions any of the names, even in part."""
        texts = [*self._passages, *self._contexts]
        return bool(self._names) and all(text.mention(name) is Mention.NONE for text in texts for name in self._names)

    def evidence(self, passage: int, start: int, end: int) -> SubjectEvidence:
        """The evidence on characters [start, end) of the passage with this index."""
        text, context = self._passages[passage], self._contexts[passage]
        first, last = self._sentence(passage, start, end)
        above = [context.mention(name) for name in self._names]
        near = [max(text.mention(name, first, last), level) for name, level in zip(self._names, above, strict=True)]
        anywhere = [max(text.mention(name), level) for name, level in zip(self._names, above, strict=True)]
        missing = sum(level is Mention.NONE for level in near) / len(near) if near else 0.0
        least = min(near, default=Mention.WHOLE)
        rival = least <= Mention.PART and self._names_another(text, (first, last), (start, end))
        return SubjectEvidence(least, min(anywhere, default=Mention.WHOLE), missing, rival)

    def _sentence(self, passage: int, start: int, end: int) -> tuple[int, int]:
        inside = [span for span in self._sentences[passage] if span[0] < max(end, start + 1) and span[1] > start]
        return (inside[0][0], inside[-1][1]) if inside else (start, end)

    def _names_another(self, text: NamedText, sentence: tuple[int, int], answer: tuple[int, int]) -> bool:
        return any(
            _overlap((name.start, name.end), sentence)
            and not _overlap((name.start, name.end), answer)
            and self._asked.isdisjoint(name.words)
            for name in text.names
        )


def _overlap(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first[0] < second[1] and first[1] > second[0]
