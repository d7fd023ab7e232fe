"""Whether an input is a question that can be looked up: no greeting, no order, no remark, no mere follow-up. English.

The rules reject only what they know; whatever they do not know is taken for a question.
"""

import re
from enum import StrEnum

from answering.questions.answer_type import FUNCTION_WORDS, direct_question
from answering.questions.courtesy import without_courtesy
from answering.questions.names import question_names
from answering.text import word_set


class QuestionKind(StrEnum):
    """The kind of an input."""

    QUESTION = "question"
    NOT_A_QUESTION = "not_a_question"
    """Greetings, thanks, orders, remarks."""
    NO_SUBJECT = "no_subject"
    """A follow-up such as `And its currency?`, or half a question, which does not say what it is about."""
    NO_WORDS = "no_words"
    """Nothing that could be looked up: no word, or function words alone."""


_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_COURTESIES = word_set(
    """hi hello hey hiya howdy greetings dear morning afternoon evening night bye goodbye cheers thanks thank thx
    ok okay fine great good nice cool wow lol haha hm hmm well yes yeah yep no nope nah sorry please welcome test
    testing ping stop wait start go quit exit help there very much lot again everyone everybody all so you for
    your the that this was is useful helpful a and have weekend day one it not to me i see then too alright
    hola hallo ciao salut servus moin bonjour bonsoir buenos dias buongiorno guten tag olá konnichiwa namaste salaam
    danke schön merci beaucoup muchas gracias grazie obrigado obrigada arigato tschüss adios adiós arrivederci ça va"""
)
# What one asks of whoever answers: can I ask you something, what's up.
_OF_DIALOGUE = word_set("anyone anybody here ask question questions up")
_DIALOGUE = (
    _COURTESIES
    | _OF_DIALOGUE
    | word_set("somebody asking something anything can could may do does what what's works work how")
)
# Orders for something else than an answer from documents.
_ORDERS = word_set(
    """write compose translate summarise summarize rewrite paraphrase draw paint sing generate create invent imagine
    pretend act ignore forget delete remove erase drop update change set reset turn open close send email call book buy
    order play run execute print repeat calculate compute solve code program stop start let let's lets convert schedule
    add remind recommend speak count fix"""
)
_ADDRESSED = re.compile(r"(?:(?:please|now|just|(?:can|could|would|will) you)\b,? ?)+", re.IGNORECASE)
# Key words have none of these: an order or a remark has.
_PERSONAL = word_set("a an i i'm me my mine we we're us our you your this these that")
_MOST_KEY_WORDS = 8
_ENTERTAINMENT = re.compile(r"\b(?:joke|poem|story|song|riddle|haiku|limerick)s?\b", re.IGNORECASE)
# What somebody says of himself or of an answer: I was in Vienna; you are wrong; that can't be right.
_REMARK = re.compile(
    r"^(?:(?:no|yes|but|well),?\s+)?(?:i|i'm|i've|i'd|we|we're|you|you're|that|that's|this|it|it's|there|let's|my|your)\b",
    re.IGNORECASE,
)
# What I asked, who cares: no question though there is a question word. Malta is an island: a statement.
_NO_QUESTION = re.compile(
    r"^(?:(?:no|yes|but|well),? )?(?:that|this|it|you)(?:['\u2019](?:s|re)| is| are| was| were)? [^?]*"
    r"\b(?:what|who|where|when|how|why) (?:i|we|you)\b[^?]*$"
    r"|^(?:who cares|so what|whatever|what the (?:hell|heck|fuck))\W*$|^guess what(?:,|\W*$)"
    r"|^(?:with )?(?:kind |best |warm )*regards\b|^yours (?:sincerely|faithfully|truly)\b"
    r"|^(?!what|who|where|when|which|how|why)(?-i:[A-Z])\w+ (?:is|are|was|were) (?:the|an?)\b(?!.*\bthis\b)"
    r"[^?.]*(?<!\.)\.$",
    re.IGNORECASE,
)
_WANTS_TO_KNOW = re.compile(
    r"\b(?:want|like|love|need|wish|trying|try|wonder|wondering|curious|asking|ask|looking)\b.*"
    r"\b(?:of|know|learn|find|hear|ask|see|who|what|when|where|which|how|whether|why|for)\b",
    re.IGNORECASE,
)
# What is the capital of; not what the mill is made of.
_UNFINISHED = re.compile(
    r"^(?:what|which|who)\b.*?\b(?:is|are|was|were) the (?:\w+ )?(?!made|composed|part|full|capable)\w+ of\W*$"
    r"|\b(?:of|in|for) the\W*$",
    re.IGNORECASE,
)
_POINTING = word_set(
    """it its he him his she her hers they them their theirs this that these those there then one ones former latter
    same other others another else"""
)
# What may stand beside a pointing word in a question that is whole: how long does it take to boil an egg.
_EXPLETIVE = re.compile(
    r"\bit (?:true|possible|likely|take|takes|took|rain\w*|snow\w*|mean|legal|safe|necessary|worth|cost\w*)\b"
    r"|\b(?:is|are|was|were|be|been|exist) there\b|\bthere (?:is|are|was|were)\b|\bsaid that\b|\btrue that\b"
    r"|\bso that\b|(?<=\s)(?!is |are |was |were )\w+ (?:that|who|which) \w+ \w+"
    r"|\banother \w+ (?:for|of|to|in)\b|\bone of (?:the|its|his|her|their)\b|\bthis (?:year|week|month)\b",
    re.IGNORECASE,
)
# With these alone nothing is asked for but what was said before.
_ABOUT_THE_ANSWER = word_set(
    """sure certain serious really mean say says said tell told explain know source sources more else another example
    examples why how answer right wrong true correct say second first next last since before after still come
    exactly continue elaborate details detail go asked question year years month ago today change changed"""
)
_ABOUT_US = re.compile(
    r"^(?:who|what|how old|where|how) are you\b"
    r"|^(?:do|are|were|did|have) you\b(?! (?:sure|certain|serious|have to|need)\b)"
    r"|^(?:who|what) (?:made|built|created|trained) you\b"
    r"|^(?:what|who|where|how)(?:['\u2019]s| is| are) your\b|^(?:you )?(?:a|an|one|some) (?:\w+ )?questions?\b"
    r"|\byour (?:name|age|job|purpose)\b|^(?:what )?can you (?:do|help)\b",
    re.IGNORECASE,
)
# Which town has lost its mill: the word points within the question.
_POINTS_WITHIN = re.compile(
    r"^(?:(?:in|on|at|of|from|to|for) )?(?:which|what) (?!(?:of|is|are|was|were|does|do|did)\b)\w+(?: \S+){2,} "
    r"(?:its|their|his|her|itself|themselves|himself|herself)\b",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"^(?:and|but|also)\b|\b(?:too|also|as well|instead|again|either)\W*$|\bthe two\W*$", re.IGNORECASE
)
# And Chile? What about that of Togo?
_NAME_ALONE = re.compile(
    r"^(?i:and|or|but|what about|how about)\s+(?:(?:the one|that|those) )?(?:(?:of|in|for|from) )?(?:the )?"
    r"[A-Z][\w'\u2019-]*(?: (?:of |the )?[A-Z][\w'\u2019-]*)*\W*$"
)
# How about peru; which of the two; where did you get that from; I meant the other one.
_REFERS_BACK = re.compile(
    r"^(?:and |but |so )*(?:what|how) about (?:the )?\w+(?: \w+)?\W*$"
    r"|^which (?:one )?of (?:(?:the (?:two|three)|both)(?= (?:is|are|was|were|has|have)\b|\W*$)|(?:them|these|those)\b)"
    r"|^(?:where|how|why) (?:did|do) you (?:get|know|find|say|think)(?: (?:that|this|it)\b|\W*$)"
    r"|\bexplain (?:that|this|it)\b|^(?:sorry,? )?i (?:meant|mean)\b",
    re.IGNORECASE,
)
# Area of of of; none of 58,718 questions of the training sets without a question's form.
_REPEATED = re.compile(r"\b(\w+)(?: \1){2}\b", re.IGNORECASE)
_AMOUNTS = word_set("many much")
# A question that points back says little else, the less where it points with a word that may stand before a noun.
_MOST_WORDS = 3
_DEMONSTRATIVES = word_set("this that these those one same other")
_NAMED_FIRST = re.compile(r"^[A-Z]\w+, ")
_QUESTION_FORM = re.compile(
    r"[?\uff1f]|_{2,}|(?:\.{3}|\u2026)\s*$|\btrue or false\b|\b(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|^(?:please |kindly )?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must"
    r"|tell|name|list|give|show|explain|describe|find|define|compare|advise|inform)\b",
    re.IGNORECASE,
)


def has_question_form(text: str) -> bool:
    """Whether a text is put as a question, by a question word, the order of its words, a mark or a gap to be filled.

    Key words are not, and neither is much that nobody wants answered: without an answer the form tells them apart.

    >>> [has_question_form(text) for text in ("Kenya's capital is ...", "wow so cool", "capital of Kenya")]
    [True, False, False]
    >>> has_question_form("True or false: Kenya is flat.")
    True
    """
    return _QUESTION_FORM.search(without_courtesy(text)) is not None


def may_be_looked_up(text: str) -> bool:
    """Whether a text is put as a question, or may be key words: few, and neither personal nor of any one thing.

    >>> [may_be_looked_up(text) for text in ("mayor Esk", "meet my friend in Esk", "Is it my mayor?")]
    [True, False, True]
    """
    words = [word.lower() for word in _WORD.findall(without_courtesy(text))]
    return has_question_form(text) or (len(words) <= _MOST_KEY_WORDS and _PERSONAL.isdisjoint(words))


def question_kind(text: str) -> QuestionKind:
    """The kind of an input.

    >>> [question_kind(text).value for text in ("hi", "Are you sure?", "Who built the mill?")]
    ['not_a_question', 'no_subject', 'question']
    """
    asked = direct_question(without_courtesy(text))
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(asked)]
    content = [word for word in words if word not in FUNCTION_WORDS]
    if not any(map(str.isalpha, asked)) or (_REPEATED.search(asked) and not has_question_form(text)):
        return QuestionKind.NO_WORDS
    if (
        _NO_QUESTION.match(text.strip())
        or _is_courtesy(without_courtesy(text))
        or _is_order(asked, words)
        or _is_remark(asked)
    ):
        return QuestionKind.NOT_A_QUESTION
    if _ABOUT_US.search(asked):
        return QuestionKind.NOT_A_QUESTION
    if _points_back(asked, words, content):
        return QuestionKind.NO_SUBJECT
    return QuestionKind.QUESTION if content else QuestionKind.NO_WORDS


def points_back(text: str) -> bool:
    """Whether a text without a name speaks of what was said before.

    >>> points_back("how many of them live there"), points_back("Which town has lost its mill?")
    (True, False)
    """
    asked = without_courtesy(text)
    words = {word.lower() for word in _WORD.findall(asked)}
    if question_names(asked) or _EXPLETIVE.search(asked) or _POINTS_WITHIN.search(asked):
        return False
    return not _POINTING.isdisjoint(words) or _CONTINUES.search(asked) is not None


def _is_courtesy(text: str) -> bool:
    said = {word.lower().replace("\u2019", "'") for word in _WORD.findall(text) if not word.isdigit()}
    return said <= _COURTESIES or (said <= _DIALOGUE and not said.isdisjoint(_OF_DIALOGUE))


def _is_order(asked: str, words: list[str]) -> bool:
    addressed = _ADDRESSED.match(asked)
    first = words[len(_WORD.findall(addressed[0])) :][:1] if addressed else words[:1]
    # Program managers were replaced with what? The mark is no order's.
    if any(word in _ORDERS for word in first) and not ("?" in asked and not addressed):
        return True
    return bool(first) and first[0] in {"tell", "give", "make"} and _ENTERTAINMENT.search(asked) is not None


def _is_remark(asked: str) -> bool:
    if _NO_QUESTION.match(asked):
        return True
    return _REMARK.match(asked) is not None and _WANTS_TO_KNOW.search(asked) is None and not has_question_form(asked)


def _points_back(asked: str, words: list[str], content: list[str]) -> bool:
    if _NAME_ALONE.match(asked) or _REFERS_BACK.search(asked):
        return True
    if question_names(asked) or _NAMED_FIRST.match(asked):
        return False
    if all(word in _ABOUT_THE_ANSWER | _POINTING | _AMOUNTS for word in content):
        return bool(words)
    if _UNFINISHED.search(asked):
        return True
    points = not _POINTING.isdisjoint(words) and _EXPLETIVE.search(asked) is None
    begins = _CONTINUES.search(asked) is not None or words[:2] in (["what", "about"], ["how", "about"])
    rest = [word for word in content if word not in _POINTING and word not in _AMOUNTS]
    return (points or begins) and len(rest) <= _MOST_WORDS - (not _DEMONSTRATIVES.isdisjoint(words))
