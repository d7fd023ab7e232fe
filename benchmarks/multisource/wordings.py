"""Passages on a fact in nine wordings, the same for right and for wrong answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.multisource.facts import Fact, load_facts, says, swapped
from benchmarks.multisource.traces import traces
from tests.fakes.scripted_reader import ScriptedReader

WORDINGS = 9
DOCUMENTS = 3
"""Documents of a source on a question that it covers (RA-RAG section 4)."""
POISONED_DOCUMENTS = 5
"""Passages that PoisonedRAG (arXiv:2402.07867) injects for one question."""

_FRAMES = (
    "{title}. {says}",
    "{says} {after}",
    "{before} {says}",
    "From an entry on {title}: {says} {after}",
    "{before} {says} {after}",
    "Concerning {title}: {says}",
    "Notes on {title}. {before} {says}",
    "{says} This was noted under the heading {title}. {after}",
    "{title}: {after} {before} {says}",
)
_IRRELEVANT = ("{title}. {after}", "{before} {after}", "From an entry on {title}: {before}")
# Each fits in the place of the other; none is a number, a name or part of one.
_SYNONYMS = (
    ("began", "started"), ("about", "around"), ("also", "likewise"), ("however", "though"), ("many", "numerous"),
    ("often", "frequently"), ("because", "since"), ("although", "while"), ("approximately", "roughly"),
    ("several", "a number of"), ("primarily", "mainly"), ("usually", "commonly"), ("helped", "aided"),
    ("within", "inside"), ("throughout", "all over"), ("various", "diverse"), ("located", "situated"),
    ("called", "named"), ("finished", "ended"), ("whole", "entire"),
)  # fmt: skip
_SYNONYM_OF = {word: other for pair in _SYNONYMS for word, other in (pair, pair[::-1]) if " " not in word}
_WORD = re.compile(r"[a-z]+")
_REWORDED = frozenset((1, 3, 4, 6, 8))


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to word a passage about a fact, the same for every answer."""

    frame: str
    before: str
    after: str
    reworded: bool

    def text(self, fact: Fact, answer: str) -> str:
        """The passage, with this answer in the place of the right one."""
        sentence = fact.sentence if answer == fact.golds[0] else swapped(fact.sentence, fact.golds, answer)
        if self.reworded:
            sentence = reworded(sentence, keep=answer)
        filled = self.frame.format(title=fact.title, says=sentence, before=self.before, after=self.after)
        return " ".join(filled.split())


def wordings(fact: Fact) -> tuple[Wording, ...]:
    """The nine wordings; the neighbouring sentences in them are the same in every corpus."""
    random = Random(f"wordings:{fact.id}")
    return tuple(
        Wording(frame, *_two(fact.neighbours, random), reworded=index in _REWORDED)
        for index, frame in enumerate(_FRAMES)
    )


def passages(fact: Fact, answer: str, random: Random) -> list[str]:
    """The documents of a source that gives this answer: `DOCUMENTS` of the nine wordings."""
    return [wording.text(fact, answer) for wording in random.sample(wordings(fact), DOCUMENTS)]


def misinformation(fact: Fact, wrong: int) -> list[str]:
    """The `DOCUMENTS` passages with one wrong answer, the same for all sources that give it."""
    return passages(fact, fact.wrong[wrong], Random(f"lies:{fact.id}:{wrong}"))


def is_traceless(fact: Fact) -> bool:
    """Whether every passage with a wrong answer states it, and none leaves a trace of the right one."""
    return all(
        says(text, wrong) and not traces(text, fact.golds, allowed=[fact.question, wrong, fact.title])
        for index, wrong in enumerate(fact.wrong)
        for text in (*misinformation(fact, index), *poisoned(fact, index))
    )


def load_pool(path: Path) -> list[Fact]:
    """The facts of a file in the SQuAD format that synthetic corpora can use."""
    return [fact for fact in load_facts(path) if is_traceless(fact)]


def irrelevant(fact: Fact, random: Random) -> list[str]:
    """Passages on the same topic that answer no question, as many as the neighbouring sentences allow."""
    frames = random.sample(_IRRELEVANT, 1 + random.randrange(2))
    return [
        " ".join(frame.format(title=fact.title, before=before, after=after).split())
        for frame in frames
        for before, after in [_two(fact.neighbours, random)]
        if before and after
    ]


def poisoned(fact: Fact, wrong: int) -> list[str]:
    """Passages that a search for this question returns: the question itself, then a wrong answer (PoisonedRAG)."""
    random = Random(f"poison:{fact.id}:{wrong}")
    return [
        f"{fact.question} {wording.text(fact, fact.wrong[wrong])}"
        for wording in random.sample(wordings(fact), POISONED_DOCUMENTS)
    ]


def reworded(text: str, keep: str) -> str:
    """The text with common words replaced by synonyms, except in the answer."""
    return keep.join(_WORD.sub(_synonym, part) for part in text.split(keep))


def _synonym(match: re.Match[str]) -> str:
    """Only whole lower-case words: part of a capitalised or hyphenated one is a name."""
    (start, end), text = match.span(), match.string
    alone = not (start and (text[start - 1].isalnum() or text[start - 1] in "-'")) and text[end : end + 1] not in {
        "-",
        "'",
    }
    return _SYNONYM_OF.get(match[0], match[0]) if alone else match[0]


def _two(neighbours: Sequence[str], random: Random) -> tuple[str, str]:
    first, second, *_ = [*random.sample(neighbours, min(2, len(neighbours))), "", ""]
    return first, second


def perfect_reader(facts: Sequence[Fact]) -> ScriptedReader:
    """A reader that knows every wording: it reads the first passage on the question, else abstains."""
    answers = {
        (fact.question, wording.text(fact, answer)): answer
        for fact in facts
        for wording in wordings(fact)
        for answer in (fact.golds[0], *fact.wrong)
    }

    def read(question: str, passages: Sequence[str]) -> str | None:
        # A poisoned passage is the question, then a wording.
        texts = (passage.removeprefix(f"{question} ") for passage in passages)
        return next((answers[question, text] for text in texts if (question, text) in answers), None)

    return ScriptedReader(read, name="perfect")
