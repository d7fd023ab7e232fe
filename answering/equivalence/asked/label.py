"""The label before a colon that an answer repeats from its page or from the question: `name: Santiago`."""

import regex

from answering.text import fold, tokenize, word_set

MAX_LABEL_CHARACTERS = 80
"""A longer beginning is a sentence."""

MAX_ANSWER_CHARACTERS = 1_000
"""A longer answer is a text, in which a label would be looked for behind every colon."""

# The last colon with a space behind it: 3:15 and 2:1 have none.
_LABELLED = regex.compile(r"(?:.*[:.;]\s++)??(?P<label>[^:.;]+):\s++(?P<value>[^:]*\w[^:]*)", regex.DOTALL)
# Names of fields that say nothing of the value. Unlike `land` or `female`, which tell which part of it is meant.
_FIELDS = word_set("name total answer value amount number date")
_FUNCTION_WORDS = word_set("a an the of in for and to by on at is")


def without_label(answer: str, question: str) -> str:
    """The text after the last label, if it names a field or repeats words of the question.

    >>> without_label("Exchange rates: Currency: Maltese liri", "What is the currency of Malta?")
    'Maltese liri'
    >>> without_label("land: 82,445 sq km", "How large is Austria?")
    'land: 82,445 sq km'
    """
    match = _LABELLED.fullmatch(answer) if len(answer) <= MAX_ANSWER_CHARACTERS else None
    if match is None or len(match["label"]) > MAX_LABEL_CHARACTERS:
        return answer
    words = frozenset(tokenize(fold(match["label"]))) - _FUNCTION_WORDS
    is_field = len(words) == 1 and words <= _FIELDS and match["label"].strip().islower()
    return match["value"] if is_field or (words and words <= frozenset(tokenize(fold(question)))) else answer
