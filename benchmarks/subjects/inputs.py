"""What people send that is no question, lacks its subject or asks two at once, and short questions that are good."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.subjects.halves import Half
from benchmarks.subjects.service import Reply
from benchmarks.subjects.truth import is_named

# Rules of the service were written beside all files but the last, which is reported.
INPUTS = {
    Half.DEVELOP: ("inputs.tsv", "more_inputs.tsv", "third_inputs.tsv", "varied_inputs.tsv", "typed_inputs.tsv"),
    Half.REPORT: ("unseen_inputs.tsv",),
}
# In the column of answers: a part that has none, and one whose answer is not looked at.
NONE, ANY = "-", "*"


class Treatment(StrEnum):
    """How an input should be treated."""

    NOT_A_QUESTION = "not_a_question"
    FOLLOW_UP = "follow_up"
    """A question without its subject, where no conversation has one."""
    NONSENSE = "nonsense"
    PARTS = "parts"
    QUESTION = "question"


# Whether "Are you sure?" is a question without a subject or none can be seen both ways; nonsense may have any reason.
REASONS = {
    Treatment.NOT_A_QUESTION: {"not_a_question"},
    Treatment.FOLLOW_UP: {"no_subject", "not_a_question"},
}


@dataclass(frozen=True, slots=True)
class Sent:
    """An input, how it should be treated, and for each part of a question the answers that are right."""

    expected: Treatment
    text: str
    parts: tuple[tuple[str, ...], ...]


def load_inputs(half: Half) -> list[Sent]:
    """The inputs of one half, or of both."""
    files = [name for of_half, names in INPUTS.items() if half in {of_half, Half.BOTH} for name in names]
    return [sent for name in files for sent in _read(Path(__file__).with_name(name))]


def _read(path: Path) -> Iterator[Sent]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield Sent(Treatment(row["expected"]), row["text"], _parts(row["answers"]))


def _parts(column: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.strip().split("/")) for part in column.split("|")) if column else ()


def is_unanswered(reply: Reply) -> bool:
    """Whether neither it nor a part of it has an answer."""
    return not reply.answers and not any(part.answers for part in reply.parts)


def is_treated(sent: Sent, reply: Reply) -> bool:
    """Whether the reply is of the right kind: no answer for the right reason, one for each part, or any answer."""
    match sent.expected:
        case Treatment.QUESTION:
            return bool(reply.answers) and len(reply.parts) < 2
        case Treatment.PARTS:
            return len(reply.parts) == len(sent.parts) and all(map(_is_of_kind, sent.parts, reply.parts))
        case Treatment.NONSENSE:
            return is_unanswered(reply)
        case _:
            return is_unanswered(reply) and reply.reason in REASONS[sent.expected]


def is_right(sent: Sent, reply: Reply) -> bool:
    """Whether it is treated as it should be, and every answer is a right one."""
    replies: Iterable[Reply] = reply.parts if sent.expected is Treatment.PARTS else (reply,)
    return is_treated(sent, reply) and all(map(_is_answered, sent.parts, replies))


def _is_of_kind(golds: Sequence[str], part: Reply) -> bool:
    return ANY in golds or (part.answer is None) == (NONE in golds)


def _is_answered(golds: Sequence[str], part: Reply) -> bool:
    if {ANY, NONE} & set(golds):
        return True
    return part.answer is not None and is_named(part.answer, golds)
