"""Questions written from the sentences of documents: by rules, in English, and by a language model."""

from collections.abc import Iterator
from itertools import groupby

from answering.questions.named_text import NamedText
from answering.questions.writing.by_model import is_clear_to_model, question_by_model
from answering.questions.writing.facts import Fact, FactKind, answers_kind, facts
from answering.questions.writing.self_contained import is_self_contained
from answering.questions.writing.wording import GAP, plainness, question_of

__all__ = [
    "GAP",
    "Fact",
    "FactKind",
    "answers_kind",
    "is_clear_to_model",
    "plainness",
    "question_by_model",
    "written_questions",
]


def written_questions(text: str) -> Iterator[tuple[str, Fact]]:
    """A question of each sentence that gives one, in the plainest wording, with the fact that answers it.

    >>> [(question, fact.answer) for question, fact in written_questions("Hallvik Mill was built in 1874.")]
    [('In which year was Hallvik Mill built?', '1874')]
    """
    named: NamedText | None = None
    for _, of_sentence in groupby(facts(text), key=lambda fact: fact.sentence):
        # Most documents state nothing that can be asked, and their names need not be looked for.
        named = named or NamedText(text)
        written = [
            (question, fact)
            for fact in of_sentence
            if (question := question_of(fact)) is not None
            and is_self_contained(question.replace(GAP, fact.answer), named)
        ]
        if written:
            yield min(written, key=lambda pair: (plainness(pair[0]), len(pair[0]), -pair[1].start))
