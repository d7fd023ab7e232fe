"""Records whose readings are drawn instead of read, by a reader that errs as often as a given one.

`LLAMA` errs as Llama3-8B does in RA-RAG's Table 2 (1,600 questions of TriviaQA). Where passages hold no answer, what a
model makes up from memory is misaligned, and the same for all sources; what it takes from the passages is aligned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from string import ascii_lowercase

from answering.voting import ReadingStatus
from benchmarks.multisource.facts import WRONG_ANSWERS
from benchmarks.multisource.record import CorpusRecord, Question, RecordedReading
from benchmarks.multisource.synthetic import Setting, Stance, reliabilities_of

Shares = Mapping[str, tuple[float, float]]
"""Shares of the readings of passages of one stance, by kind: all of them, and those that are aligned."""

LLAMA: Mapping[Stance, Shares] = {
    Stance.FACTUAL: {"right": (0.9282, 0.9282), "other": (0.0718, 0.0718)},
    Stance.MISINFORMATION: {"right": (0.0543, 0.0082), "published": (0.8152, 0.8152), "other": (0.0815, 0.0598)},
    Stance.IRRELEVANT: {"right": (0.2555, 0.0430), "other": (0.1892, 0.0934)},
}
# Of a question one is right, nine are wrong, as in RA-RAG section 4, and as many made up. Words, as numbers would be
# compared as values; dealt anew for each question, as ties go to the first in the alphabet.
_WORDS = [f"{letter}olm" for letter in ascii_lowercase[: 1 + 2 * WRONG_ANSWERS]]


@dataclass(frozen=True, slots=True)
class _Answers:
    right: str
    wrong: Sequence[str]
    invented: Sequence[str]


def drawn_record(setting: Setting, seed: int, shares: Mapping[Stance, Shares] = LLAMA) -> CorpusRecord:
    """The record of a seed; of the setting its sources, their coverage and the number of questions count."""
    random = Random(f"{setting.name}:{seed}")
    reliabilities = reliabilities_of(setting, random)
    count = setting.estimation + setting.test
    questions = tuple(
        _question(setting, shares, reliabilities, random, number=number, time=number / count) for number in range(count)
    )
    subsets = {f"N={setting.sources}": tuple(range(setting.sources))}
    return CorpusRecord(setting.name, seed, "drawn", tuple(reliabilities), subsets, questions, {})


def _question(
    setting: Setting,
    shares: Mapping[Stance, Shares],
    reliabilities: Sequence[float],
    random: Random,
    *,
    number: int,
    time: float,
) -> Question:
    words = random.sample(_WORDS, len(_WORDS))
    answers = _Answers(words[0], words[1 : 1 + WRONG_ANSWERS], words[1 + WRONG_ANSWERS :])
    silent = shares[Stance.IRRELEVANT]
    remembered = _drawn(
        {kind: (share - aligned, 0.0) for kind, (share, aligned) in silent.items()}, answers, None, random
    )
    left = 1.0 - sum(share - aligned for share, aligned in silent.values())
    found = {kind: (aligned / left, aligned / left) for kind, (_, aligned) in silent.items()}
    stances, published, readings = [], [], []
    for source, reliability in enumerate(reliabilities):
        stance, answer = _publication(answers, setting.coverage_of(source), reliability, random)
        stances.append(stance)
        published.append(answer)
        if answer is not None:
            readings.append(_drawn(shares[stance], answers, answer, random))
        elif remembered.status is ReadingStatus.MISALIGNED:
            readings.append(remembered)
        else:
            readings.append(_drawn(found, answers, None, random))
    return Question(
        text="",
        golds=(answers.right,),
        is_test=number >= setting.estimation,
        time=time,
        stances=tuple(stances),
        published=tuple(published),
        readings=tuple(readings),
        poisoned=False,
        pooled={},
    )


def _publication(answers: _Answers, coverage: float, reliability: float, random: Random) -> tuple[Stance, str | None]:
    if random.random() >= coverage:
        return Stance.IRRELEVANT, None
    if random.random() < reliability:
        return Stance.FACTUAL, answers.right
    return Stance.MISINFORMATION, random.choice(answers.wrong)


def _drawn(shares: Shares, answers: _Answers, published: str | None, random: Random) -> RecordedReading:
    all_readings = [share for share, _ in shares.values()]
    (kind,) = random.choices([*shares, ""], [*all_readings, max(1.0 - sum(all_readings), 0.0)])
    if not kind:
        return RecordedReading(ReadingStatus.ABSTAINED, None)
    answer = {"right": answers.right, "published": published}.get(kind, random.choice(answers.invented))
    share, aligned = shares[kind]
    is_aligned = random.random() < aligned / share
    return RecordedReading(ReadingStatus.ANSWERED if is_aligned else ReadingStatus.MISALIGNED, answer)
