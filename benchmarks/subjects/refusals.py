"""What the service does with names that no document has, and with inputs that are no single question."""

from collections import defaultdict
from collections.abc import Sequence

from benchmarks.harness import Cell, Report
from benchmarks.subjects.inputs import Sent, is_right, is_treated, is_unanswered
from benchmarks.subjects.names import NameQuestion
from benchmarks.subjects.service import Reply, ask
from registry.corpora.model import Corpus
from registry.runtime import Runtime

CONFIDENT = 0.7
AIM_ANSWERED, AIM_TREATED = 0.02, 0.98
EXAMPLES = 20


async def measure_names(report: Report, runtime: Runtime, corpus: Corpus, questions: Sequence[NameQuestion]) -> None:
    """Ask about every name: nothing is right but no answer."""
    replies = [await ask(runtime, corpus, question.text) for question in questions]
    by_kind: defaultdict[str, list[Reply]] = defaultdict(list)
    for question, reply in zip(questions, replies, strict=True):
        by_kind[question.kind].append(reply)
    rows: list[list[Cell]] = []
    for kind, of_kind in [*sorted(by_kind.items()), ("all", replies)]:
        answered = [reply for reply in of_kind if reply.answers]
        confident = [reply for reply in answered if reply.confidence > CONFIDENT]
        rows.append([kind, len(of_kind), len(answered), len(confident)])
        report.figure(f"names/{kind}/answered", len(answered) / len(of_kind))
        report.figure(f"names/{kind}/confident", len(confident) / len(of_kind))
    rows.append(["aim", None, f"at most {AIM_ANSWERED * len(replies):.0f}", 0])
    report.table("Names that no document has", ["names", "questions", "answered", f"above {CONFIDENT}"], rows)
    answered = sorted((reply for reply in replies if reply.answers), key=lambda reply: -reply.confidence)
    _examples(report, "The most confident of these answers", answered)


async def measure_inputs(report: Report, runtime: Runtime, corpus: Corpus, inputs: Sequence[Sent]) -> None:
    """Send every input, with no conversation before it."""
    replies = [await ask(runtime, corpus, sent.text) for sent in inputs]
    pairs = list(zip(inputs, replies, strict=True))
    rows: list[list[Cell]] = []
    kinds = list(dict.fromkeys(sent.expected for sent in inputs))
    for kind in [*kinds, None]:
        of_kind = [(sent, reply) for sent, reply in pairs if kind is None or sent.expected is kind]
        treated = sum(is_treated(*pair) for pair in of_kind)
        unanswered = sum(is_unanswered(reply) for _, reply in of_kind)
        right = sum(is_right(*pair) for pair in of_kind)
        name = "all" if kind is None else str(kind)
        rows.append([name, len(of_kind), unanswered, treated, right])
        report.figure(f"inputs/{name}/treated", treated / len(of_kind))
        report.figure(f"inputs/{name}/right", right / len(of_kind))
    rows.append(["aim", None, None, f"at least {AIM_TREATED * len(inputs):.0f}", None])
    columns = ["expected", "inputs", "without an answer", "treated as they should be", "and answers right"]
    report.table("No question, no subject, or two questions in one", columns, rows)
    _examples(report, "Inputs not treated so", [reply for sent, reply in pairs if not is_treated(sent, reply)])


def _examples(report: Report, title: str, replies: Sequence[Reply]) -> None:
    rows: list[list[Cell]] = [
        [reply.question, reply.answer or reply.reason, f"{reply.confidence:.2f}"] for reply in replies[:EXAMPLES]
    ]
    report.table(title, ["question", "reply", "confidence"], rows)
