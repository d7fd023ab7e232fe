"""The sets of questions that train the reader beside SQuADShifts and RAMDocs: one list, with their licences."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data.squad import Example

# Marks of tables and brackets in the form of treebanks.
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|-[LR][RSC]B-")
# So many characters before and after an answer decide which of its mentions answers the question.
_CONTEXT = 150


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A file `NAME.jsonl.gz` of questions, passages, and answers that stand in them."""

    name: str
    licence: str


QUESTION_SETS = (
    QuestionSet("squad_train", "CC BY-SA 4.0"),
    # Not `squad2_unanswerable`: all its paragraphs belong to the articles of XQuAD.
    QuestionSet("squad2_train", "CC BY-SA 4.0"),
    QuestionSet("nq_open", "CC BY-SA 3.0"),
    QuestionSet("nq_swap", "CC BY-SA 3.0"),
    QuestionSet("qed", "CC BY-SA 3.0"),
    QuestionSet("hotpotqa", "CC BY-SA 4.0"),
    QuestionSet("clapnq", "Apache-2.0"),
    QuestionSet("covidqa", "Apache-2.0"),
    QuestionSet("confiqa", "MIT"),
    QuestionSet("policyqa", "MIT"),
    QuestionSet("qamr", "MIT"),
)


def load_question_sets(folder: Path) -> list[Example]:
    """Every question of the sets; those whose answer does not stand in the passage are left out."""
    files = {kind.name: folder / f"{kind.name}.jsonl.gz" for kind in QUESTION_SETS}
    return [example for name, path in files.items() for example in load_questions(path, name)]


def load_questions(path: Path, topic: str) -> Iterator[Example]:
    """The questions of one file; no answers means that the passage does not answer."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            question, passage = row["question"].strip(), _MARKUP.sub(" ", row["passage"])
            places = [place for answer in row["answers"] if (place := answering_mention(question, passage, answer))]
            if places or not row["answers"]:
                yield Example(question, passage, places[0] if places else None, topic)


def answering_mention(question: str, passage: str, answer: str) -> tuple[int, int] | None:
    """Where the answer stands among most words of the question, [start, end) in characters; None if it does not."""
    if not answer.strip():
        return None
    pattern = rf"(?<!\w){re.escape(answer.strip())}(?!\w)"
    places = [match.span() for match in re.finditer(pattern, passage, re.IGNORECASE)]
    asked = set(re.findall(r"\w+", question.lower()))

    def shared(place: tuple[int, int]) -> int:
        near = passage[max(place[0] - _CONTEXT, 0) : place[1] + _CONTEXT]
        return len(asked & set(re.findall(r"\w+", near.lower())))

    return max(places, key=shared, default=None)
