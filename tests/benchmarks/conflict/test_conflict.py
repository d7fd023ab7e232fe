"""Detection of conflicts and truthfulness of responses, on sets whose truth is known."""

import gzip
import json
from pathlib import Path

from answering.judges import Judgement, Label, Pair
from benchmarks.conflict.detection import detect
from benchmarks.conflict.documents import document_of, grounds_of
from benchmarks.conflict.feedback import Question, misleads, names
from benchmarks.data.claim_sets import ClaimSet, Document, load_stances
from benchmarks.harness import Options, Report
from tests.fakes.scripted_judge import ScriptedJudge
from tests.tables import for_each

AGREES = Document("The bridge of Brin was opened in 1911.", Label.SUPPORTS)
DISAGREES = Document("The bridge of Brin was opened in 1950.", Label.CONTRADICTS)
QUESTION = "When was the bridge of Brin opened?"


def claim_set(question: str, *documents: Document, conflicting: bool) -> ClaimSet:
    return ClaimSet(question, "1911", documents, conflicting, "made up")


SETS = [
    claim_set(QUESTION, AGREES, DISAGREES, conflicting=True),
    claim_set(QUESTION, AGREES, conflicting=False),
    claim_set("When was it built?", DISAGREES, conflicting=False),
]


def unsure(pair: Pair) -> Judgement:
    supports = 0.9 if "1911" in pair.passage else 0.1
    contradicts = 0.7 if "1950" in pair.passage else 0.05
    label = Label.SUPPORTS if supports > contradicts else Label.CONTRADICTS
    return Judgement(label, supports, contradicts, 0.0, 1 - supports - contradicts)


async def test_the_minimum_probability_is_chosen_on_development_questions() -> None:
    report = Report(Options())
    rows = await detect(report, "ours", ScriptedJudge(unsure), {"made up": SETS}, {"made up": SETS})
    (row,) = rows
    assert row[:4] == ["made up", "ours", "0", 3]
    assert report.figures == {"ours_made up_f1": 1.0}


DISPUTED = Question(
    QUESTION,
    ("1911",),
    ("1950",),
    (document_of("Herald", AGREES.text), document_of("Rumour", DISAGREES.text)),
    (document_of("Herald", AGREES.text),),
    (AGREES.text, DISAGREES.text),
)


@for_each(
    ("text", "right", "misled"),
    [
        ("It was opened in 1911.", True, False),
        ("It was opened in 1950.", False, True),
        ("It was opened in 1911 and 1950.", True, True),
        ("The Herald says 1911, the Rumour 1950.", True, False),
        ("1911 (Publisher 1); 1950 (Publisher 2).", True, False),
        ("Some say 1950.", False, True),
        ("I do not know.", False, False),
        ("It was opened in 19110.", False, False),
    ],
)
def test_a_wrong_answer_misleads_unless_it_is_said_to_be_disputed(text: str, right: bool, misled: bool) -> None:
    assert names(DISPUTED.gold, text) is right
    assert misleads(DISPUTED, text) is misled


def test_sets_of_a_claim_say_where_all_documents_contradict_it(tmp_path: Path) -> None:
    rows = [
        {"claim": "Tax sugar.", "text": text, "label": label, "source": "debates"}
        for text, label in (("It saves lives.", "supports"), ("It harms the poor.", "contradicts"))
    ]
    path = tmp_path / "stances.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    both, against, for_it = load_stances(path, "debates")
    assert [len(claims.documents) for claims in (both, against, for_it)] == [2, 1, 1]
    assert [claims.conflicting for claims in (both, against, for_it)] == [True, False, False]
    assert [claims.all_contradict for claims in (both, against, for_it)] == [False, True, False]
    assert both.claim == grounds_of(both)[0].claim.text == "Tax sugar."
    assert load_stances(path, "others") == []
