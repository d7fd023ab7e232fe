"""The coordinations of a sentence that asks several times: two names, two things of one name, or two clauses. English.

A sentence is cut at `and`, commas and the like. A segment that is no clause of its own takes from the one before what
it lacks: `the capital of Peru and of Chile`, `Peru's capital and currency`, `the capital of Peru and the currency of
Chile`. A segment that lacks something else is none, and stays where it is. Words have classes: names are written large,
or are no ordinary words.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from answering.equivalence.spelling import singular
from answering.questions.clauses import MOST_KEY_WORDS, is_clause
from answering.questions.word_classes import NAME, TARGETS, Tagged, tagged

_CONJUNCTION = re.compile(
    r"(?:,?\s+(?:and|&|\+|n|plus|as well as|but|or)|,\s+(?:then|also))\s+(?:(?:also|then),?\s+){0,2}"
    r"|\s*;\s+(?:also,?\s+)?|,\s+|\s+/\s+|\s+also\s+(?=(?:what|who|where|when|how|which)\b)"
    # Without a mark: the capital of Peru what language is spoken there.
    r"|\s+(?=(?:what|who|where|when|how) (?:is|are|about)\b|how (?:many|much|big|large|old|far|long|tall|high)\b)"
    r"|(?<!\b(?:on|in|at|of|to|by))(?<!\b(?:from|with))(?<!\bfor)\s+(?=(?:what|which) \w+ (?:do|does|did|is|are)\b)"
)
# A sentence of more is prose, in which every segment would be compared with all before it.
MOST_SEGMENTS = 40
_TOO = re.compile(r",? (?:too|also|as well)$", re.IGNORECASE)
# In brackets: the capital of Peru (and of Chile).
_BRACKETS = re.compile(r" \(((?:and|or) [^()]+)\)")
_INSTEAD = re.compile(
    r"^(?:(?:and|or|but|what about|how about|what(?:['\u2019]s| is| are)|which(?: one)? is) )+", re.IGNORECASE
)
_MEASURES = re.compile(r"how (?:\w+ (?:is|are) $|many\b.* (?:in|of|from) $)", re.IGNORECASE)
_LISTS = re.compile(r"(?:what|which) \w+s (?:is|are)\b.* (?:in|of|for) $", re.IGNORECASE)
# What two names are asked for together: their difference, whether both.
_JOINT = re.compile(
    r"\b(?:both|between|together|shared?|common|same|differen\w+|compared?|than|either|or|versus|vs)\b", re.IGNORECASE
)
_NAME_ALONE = re.compile(rf"^(?:D?I?(?P<preposition>[FP]))?(?P<name>{NAME})$")
_OWNER_ALONE = re.compile(r"^(?P<name>D?N*S)$")
_RELATION_ALONE = re.compile(r"^(?P<determiner>D?)C{1,3}$")
_RELATION_AND_NAME = re.compile(r"^(?:D[CN]{1,4}[FP]D?[CN]*N.*|[CN]{1,4}FD?[CN]*N.*|D?N*S[CN]{1,3})$")
_OWNED = re.compile("D[CN]+F|D?N*S")
_KEY_WORDS = re.compile(rf"{_RELATION_AND_NAME.pattern}|^(?:C{{1,3}}N+|N+C{{1,3}})$")
_LAST_RELATIONS = re.compile(r"(?:D?C{1,3}\.)*D?C{1,3}$")
# Behind these stands what is asked for: what is the capital, tell me the capital.
_BEFORE_TARGET = re.compile(r"^(?:|.*[VR]A?)$")


def segments(sentence: str, apart: Collection[tuple[str, str]] = ()) -> list[str]:
    """The questions of a sentence, without what a pronoun in a later one takes from the first.

    `apart` has the pairs of names that are known not to be one, as Trinidad and Tobago is.

    >>> segments("What is the capital of Peru and of Chile?")
    ['What is the capital of Peru?', 'What is the capital of Chile?']
    """
    bare = _TOO.sub("", _BRACKETS.sub(r" \1", re.sub(r"\bboth (?=the \w+ and the\b)", "", sentence)).rstrip(" ?.!"))
    pieces: list[str] = []
    start, conjunction = 0, ""
    cuts = [*_CONJUNCTION.finditer(bare), None]
    if len(cuts) > MOST_SEGMENTS:
        return [sentence]
    is_list = any(cut and cut[0].strip(" ,") for cut in cuts)
    whole = _Sentence(apart, is_list, set("WV").isdisjoint(tagged(bare).tags))
    left = ""
    for cut in cuts:
        segment = bare[start : cut.start() if cut else len(bare)]
        if not left:
            left = segment
        elif is_clause(left, conjunction, segment, sentence):
            pieces.append(left)
            left = segment
        else:
            found = _shared(left, conjunction, segment, whole)
            pieces += found[:-1]
            left = found[-1] if found else f"{left}{conjunction}{segment}"
        if cut:
            start, conjunction = cut.end(), cut[0]
    if not pieces:
        return [sentence]
    return [f"{piece.rstrip(' ?,.')}?" for piece in (*pieces, left)]


def continued(before: str, piece: str) -> str | None:
    """The question before with what the next one has in its place, if that is no more than a name with a preposition
    or the owner of what was asked for; else None.

    >>> continued("What is the capital of Peru?", "And of Chile?"), continued("What is Peru's capital?", "And Chile's?")
    ('What is the capital of Chile?', "What is Chile's capital?")
    """
    segment = _INSTEAD.sub("", piece).rstrip(" ?.!")
    words = tagged(segment)
    if not (_OWNER_ALONE.match(words.tags) or ((name := _name_alone(words)) and name["preposition"])):
        return None
    found = _shared(before.rstrip(" ?.!"), " and ", segment, _Sentence())
    return f"{found[-1]}?" if found else None


def coordinated_names(question: str) -> Iterator[tuple[str, str]]:
    """The pairs of names between which only a conjunction stands, which may be one name."""
    cuts = list(_CONJUNCTION.finditer(question))
    for at, cut in enumerate(cuts):
        before = tagged(question[cuts[at - 1].end() if at else 0 : cut.start()])
        after = tagged(
            question[cut.end() : cuts[at + 1].start() if at + 1 < len(cuts) else len(question)].rstrip(" ?.!"),
            begins=False,
        )
        left, right = re.search(r"(?P<name>N+)$", before.tags), _name_alone(after)
        if left and right and not right["preposition"]:
            yield before.part(left, "name"), after.part(right, "name")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What two segments have to be told of their sentence."""

    apart: Collection[tuple[str, str]] = ()
    is_list: bool = True
    """Whether there is a conjunction anywhere in it."""
    is_wish: bool = False
    """Whether it has no question word and no form of `be`."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """A segment behind another one, which ends with what it asks for; `target` is None where that is not seen."""

    before: Tagged
    target: re.Match[str] | None
    conjunction: str
    after: Tagged
    sentence: _Sentence

    @property
    def has_word(self) -> bool:
        return bool(self.conjunction.strip(" ,"))

    def asks_behind(self, introduction: str) -> bool:
        """Whether what is asked for stands behind these words: what is, tell me, or my son wants where nothing asks."""
        return _BEFORE_TARGET.match(introduction) is not None or (self.sentence.is_wish and introduction.endswith("C"))

    @property
    def name(self) -> re.Match[str] | None:
        """The name that is all of the segment, which does not begin like what stands before it."""
        return None if _repeats(self.before, self.after) else _name_alone(self.after)


def _shared(left: str, conjunction: str, segment: str, sentence: _Sentence) -> list[str]:
    """Both questions where the segment takes what it lacks from what stands before it, or gives what that lacks."""
    if conjunction.strip(" ,").lower() in {"or", "but"} or _JOINT.search(left):
        return []
    before, after = tagged(left), tagged(re.sub("^about ", "", segment), begins=False)
    target = next((match for pattern in TARGETS if (match := pattern.search(before.tags))), None)
    pair = _Pair(before, target, conjunction, after, sentence)
    if target is None:
        return _added(pair) or _lacking_name(pair) or _lacking_relation(pair)
    rules = (_other_name, _other_owner, _other_relation, _other_target, _other_there)
    return _added(pair) or next((found for rule in rules if (found := rule(pair, target))), [])


def _added(pair: _Pair) -> list[str]:
    """Who built the mill and also the age of Esk."""
    also = re.search(r"\b(?:also|as well as)\b", pair.conjunction)
    return [pair.before.text, pair.after.text] if also and re.match("D[CN]+F.*N", pair.after.tags) else []


def _other_owner(pair: _Pair, target: re.Match[str]) -> list[str]:
    """Peru's capital and Chile's."""
    owner = _OWNER_ALONE.match(pair.after.tags)
    if owner is None or target.groupdict().get("relation") is None:
        return []
    head = pair.before.before(target.start("name"))
    return [pair.before.text, f"{head}{pair.after.part(owner, 'name')} {pair.before.part(target, 'relation')}"]


def _other_target(pair: _Pair, target: re.Match[str]) -> list[str]:
    """The capital of Peru and the currency of Chile."""
    left, introduction = pair.before.text, pair.before.tags[: target.start()]
    if target.groupdict().get("relation") is None or pair.name or not pair.asks_behind(introduction):
        return []
    is_key_words = not introduction
    pattern = _KEY_WORDS if is_key_words and len(left.split()) <= MOST_KEY_WORDS else _RELATION_AND_NAME
    joined = (
        pair.has_word
        or pair.sentence.is_list
        or is_key_words
        or (pair.sentence.is_wish and _OWNED.match(pair.after.tags))
    )
    if not pattern.match(pair.after.tags) or _asks_who(left) or not joined:
        return []
    return [left, pair.before.before(target.start()) + pair.after.text]


def _other_there(pair: _Pair, target: re.Match[str]) -> list[str]:
    """The capital of Peru and the language spoken there."""
    asks = re.match("D[CN]+O$", pair.after.tags) and pair.after.text.endswith(" there")
    if not asks or not pair.asks_behind(pair.before.tags[: target.start()]):
        return []
    return [pair.before.text, pair.before.before(target.start()) + pair.after.text]


def _name_alone(segment: Tagged) -> re.Match[str] | None:
    """Whether a segment is a name, maybe with `of` or `that of` before it; `age Esk` is none."""
    match = _NAME_ALONE.match(segment.tags)
    if match is None:
        return None
    words = [word for word in segment.part(match, "name").split() if word not in {"of", "the"}]
    return match if len({word[:1].isupper() for word in words}) == 1 else None


def _asks_who(text: str) -> bool:
    """Whether a person is described, of whom two things may be said."""
    return re.match(r"who(?:'s|\u2019s| is| was)\b", text, re.IGNORECASE) is not None


def _repeats(before: Tagged, after: Tagged) -> bool:
    """Whether the first words of a segment stand before it too: capital Peru and capital Chile."""
    count = 2 if len(after.tags) > 2 else 1
    words = after.text.lower().split()[:count]
    tells = len(after.tags) > 1 and (count > 1 or after.tags[0] == "C")
    return tells and f" {' '.join(words)} " in f" {before.text.lower()} "


def _other_name(pair: _Pair, target: re.Match[str]) -> list[str]:
    """The capital of Peru and (that of) Chile; how large are Peru and Chile."""
    before, after, name = pair.before, pair.after, pair.name
    if name is None or not (pair.has_word or (pair.sentence.is_list and not name["preposition"])):
        return []
    first, second = before.part(target, "name"), after.part(name, "name")
    head = before.before(target.start("name"))
    behind = before.text[len(head) + len(first) :]
    relation = before.part(target, "relation") if "relation" in target.groupdict() else ""
    introduction = before.tags[: target.start("relation")] if relation else "none"
    is_plural = re.search(r"(?:[^s]s|ies)$", relation) is not None if relation else head.endswith(" are ")
    if name["preposition"]:
        asks = head.lower().split()[-1:] == after.text.lower().split()[-len(second.split()) - 1 :][:1]
    else:
        is_known = any(first.endswith(left) and second.endswith(right) for left, right in pair.sentence.apart)
        is_asked = pair.asks_behind(introduction) and head.endswith((" of ", " in ", " for ", "'s "))
        asks = (is_known or is_plural) and (is_asked or _MEASURES.match(head) is not None)
        asks = asks or (is_known and _LISTS.match(head) is not None)
    if not asks:
        return []
    if is_plural and not _LISTS.match(head):
        head, behind = (re.sub(r"\bare\b", "is", text) for text in (head, behind))
        if relation:
            head, behind = (text.replace(relation, singular(relation)) for text in (head, behind))
    return [f"{head}{first}{behind}", f"{head}{second}{behind}"]


def _other_relation(pair: _Pair, target: re.Match[str]) -> list[str]:
    """Peru's capital and currency; the capital of Peru and its currency."""
    alone = _RELATION_ALONE.match(pair.after.tags)
    if re.match("(?:its|their) [^A-Z]*$", pair.after.text):
        alone = alone or re.match("(?P<determiner>D)[CN]{1,3}$", pair.after.tags)
    if alone is None or target.groupdict().get("relation") is None:
        return []
    if not pair.asks_behind(pair.before.tags[: target.start()]):
        return []
    name, owns = pair.before.part(target, "name"), "S" in target["name"]
    if not owns and not alone["determiner"] and target.start("name") > 0:
        return []
    introduction = pair.before.before(target.start())
    asked = pair.before.text[len(introduction) :]
    introduction = re.sub(r"\bare $", "is ", introduction)
    owner = name if owns else f"{name}'s"
    relation = re.sub(r"^(?:the|its|their) ", "", pair.after.text, flags=re.IGNORECASE)
    return [f"{introduction}{asked}", f"{introduction}{owner} {relation}"]


def _lacking_name(pair: _Pair) -> list[str]:
    """The capital, the currency and the area of Peru; capital & area Peru."""
    before, after = pair.before, pair.after
    first = _LAST_RELATIONS.search(before.tags)
    last = re.match(r"D?C{1,3}(?=F)|C{1,3}(?=N+$)", after.tags)
    if first is None or last is None or not pair.sentence.is_list or not pair.asks_behind(before.tags[: first.start()]):
        return []
    is_one_person = _asks_who(before.text) and not after.tags.startswith("D")
    if is_one_person or (not before.tags[: first.start()] and not re.search("N[^V]*$", after.tags)):
        return []
    end = after.spans[last.end() - 1][1]
    introduction = before.before(first.start())
    relations = [*before.text[len(introduction) :].split(", "), after.text[:end]]
    introduction = re.sub(r"\bare\b", "is", introduction)
    return [f"{introduction}{relation}{after.text[end:]}" for relation in relations]


def _lacking_relation(pair: _Pair) -> list[str]:
    """Peru's and Chile's capitals."""
    owner, owned = re.search("D?N*S$", pair.before.tags), re.match("D?N*S(?P<relation>C{1,3})$", pair.after.tags)
    if owner is None or owned is None or not pair.asks_behind(pair.before.tags[: owner.start()]):
        return []
    relation = pair.after.part(owned, "relation")
    introduction = re.sub(r"\bare $", "is ", pair.before.before(owner.start()))
    head = pair.before.before(owner.start())
    names = pair.before.text[len(head) :], pair.after.text[: -len(relation)].rstrip()
    return [f"{introduction}{name} {singular(relation)}" for name in names]
