"""What people write around a question: greetings, thanks, asides, quotation marks, abbreviations of chats. English."""

import re

_ABBREVIATIONS = {
    "whats": "what is", "wats": "what is", "whos": "who is", "wheres": "where is", "hows": "how is", "pls": "please",
    "u": "you", "r": "are", "ur": "your", "ppl": "people", "thx": "thanks", "ty": "thanks", "plz": "please",
    "wich": "which", "wat": "what", "prez": "president", "rn": "now", "abt": "about", "thanx": "thanks", "sry": "sorry",
}  # fmt: skip
# Neither the U.S. nor J. R. R. Tolkien.
_ABBREVIATION = re.compile(rf"(?<![\w.])(?!(?-i:[A-Z])\b)(?:{'|'.join(_ABBREVIATIONS)})\b(?![.'])", re.IGNORECASE)
_PREFIX = re.compile(
    r"^(?:\s*(?:hi|hello|hey|hiya|thanks?(?: you)?(?: very much| so much| a lot)?|hmm?|oh|ok(?:ay)?|great|well|sorry"
    r"|wait|good (?:morning|afternoon|evening)|dear \w+(?: or \w+)?|(?:hey )?(?:alexa|siri|google|quick one)|q(?=:)"
    r"|what was it again)(?: there| everyone| all| again)?\s*(?:[,.!;:\u2014-]+|$"
    r"|(?=\s(?:and|but|so|who|what|which|when|where|why|how|can|could|would|please|tell|is|are|does|the)\b))\s*)+",
    re.IGNORECASE,
)
# All that is asked in quotation marks, and the sounds between words.
_ALL_QUOTED = re.compile(r"[\"“„']([^\"“”]{8,}[?.!])[\"”']")
_FILLER = re.compile(r"(?:(?<=\s)|^)(?:[Uu]h+m?|[Uu]m+|er+m?|ah+m?),?\s+(?=\w)")
_ASIDE = re.compile(
    r",\s*(?:if (?:it|you|one|that|possible)\b[^,?]{0,40}|by the way)(?:,|(?=\W*$))\s*| if you know(?= \w)",
    re.IGNORECASE,
)
# From the beginning of white space and marks only, not from each of them.
_SUFFIX = re.compile(
    r"(?:(?<![\s,-])[\s,-]+(?:please|(?<=[.!?,-]\s)help|thanks?(?: you)?"
    r"|(?:(?:with )?(?:kind |best |warm )*regards|yours (?:sincerely|faithfully))\b.*)"
    r"|(?<=[.!?])\s+(?:many )?thank(?:s| you)\b[^?]*)\s*[.!]*(\??)$",
    re.IGNORECASE,
)


def without_courtesy(text: str) -> str:
    """The text without a greeting before it or thanks and asides in it, and without the abbreviations of chats.

    Capital letters throughout say nothing of names.

    >>> without_courtesy("Hi, what is the capital of Malta?"), without_courtesy("CAPITAL OF MALTA PLZ")
    ('what is the capital of Malta?', 'capital of malta')
    """
    plain = text.lower() if text.isupper() and " " in text.strip() else text
    quoted = _ALL_QUOTED.fullmatch(plain.strip())
    plain = _FILLER.sub("", quoted[1] if quoted else plain)
    plain = _ABBREVIATION.sub(lambda match: _ABBREVIATIONS[match[0].lower()], plain)
    return _SUFFIX.sub(r"\1", _ASIDE.sub(" ", _PREFIX.sub("", plain))).strip() or plain.strip()
