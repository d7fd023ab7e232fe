"""Key words spelt out as the question that they stand for, which a reader was trained to answer. English."""

import re

from answering.equivalence.spelling import singular
from answering.questions.answer_type import true_or_false
from answering.questions.clauses import MOST_KEY_WORDS
from answering.questions.word_classes import NAME, TARGETS, tagged

# My son has to know the capital of Chile for his homework.
_WISHED = re.compile(rf"R(?P<relation>D?[CN]{{1,4}})F(?P<name>{NAME})(?=$|[.P])")
# What the capital of Chile is; how large Chile is.
_INDIRECT = re.compile(r"^(?P<asks>WC?)(?P<subject>D[CN]+(?:FD?[CN]*N+)?|D?N*S[CN]+|D?N+)(?P<verb>V)(?P<named>C?)$")


def whole_question(text: str) -> str:
    """Key words of what is asked for and a name, as a question, an indirect question as a direct one, and a statement
    that may be true or false; any other text as it is.

    >>> whole_question("mayor Esk"), whole_question("I must know the mayor of Esk, sorry"), whole_question("Who sings?")
    ('What is the mayor of Esk?', 'What is the mayor of Esk?', 'Who sings?')
    >>> whole_question("what the mayor of Esk is called"), whole_question("How old the Mill is?")
    ('what is the mayor of Esk called?', 'How old is the Mill?')
    """
    if (asked := true_or_false(text)) != text:
        return asked
    words = tagged(text.strip().rstrip(" ?.!"))
    if indirect := _INDIRECT.match(words.tags):
        asks, named = words.part(indirect, "asks"), words.part(indirect, "named")
        if (" " in asks) == (asks[:3].lower() == "how") and named in {"", "called", "named"}:
            direct = f"{asks} {words.part(indirect, 'verb')} {words.part(indirect, 'subject')} {named}"
            return f"{direct.rstrip()}?"
    patterns = TARGETS[:-1] if len(words.tags) <= MOST_KEY_WORDS else ()
    match = next((match for pattern in patterns if (match := pattern.match(words.tags))), None)
    if match is None and not set("WV") & set(words.tags):
        match = _WISHED.search(words.tags)
    if match is None:
        return text
    relation = re.sub(r"^the ", "", words.part(match, "relation"), flags=re.IGNORECASE)
    name = re.sub(r"['\u2019]s$", "", words.part(match, "name"))
    is_plural = singular(last := relation.split()[-1].lower()) != last
    return f"What {'are' if is_plural else 'is'} the {relation[0].lower()}{relation[1:]} of {name}?"
