"""Train a judge of many languages: `python -m benchmarks.training.languages.judge --out build/languages_judge`.

It begins as the reader that ships, or as another pack, over the same lower layers. Questions with their answers, with
other answers of the same passage and beside other passages are claims; so are the sentences of other sets
(`benchmarks.data.language_verdicts`) and English ones of those that train the English judge. The same command goes on
where an earlier one was stopped.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import torch
from rich.console import Console

from answering.compact.model import CompactModel
from answering.compact.windows import windows
from answering.e5.encoder import PASSAGE, QUESTION
from answering.e5.tokenizer import BEGIN, END, E5Tokenizer
from answering.e5.weights import E5Weights
from answering.judges.compact import CLAIM_TOKENS, LABELS
from answering.judges.judge import Label, claim_of
from benchmarks.data.language_sets import training_sets
from benchmarks.data.language_verdicts import training_verdicts
from benchmarks.data.squad import Example as Question
from benchmarks.training.batching import batches
from benchmarks.training.judge.features import NOWHERE, UNKNOWN, WINDOW_TOKENS, Feature, collate
from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.judge.nli import load_statements, statement_examples
from benchmarks.training.judge.pairs import Example
from benchmarks.training.languages.encoder import load_encoder, load_pack
from benchmarks.training.languages.windows import with_near_passages
from benchmarks.training.loop import Schedule, Training

SEED = 31
BATCH_TOKENS = 3072
OTHERS_TRIED = 5


def main() -> None:
    """Train and leave `checkpoint.pt`, `losses.json` and `loss.png` in the folder."""
    options = _options()
    torch.manual_seed(SEED)
    torch.set_num_threads(options.threads)
    weights = E5Weights.installed()
    model = JudgeModel(load_encoder(weights))
    load_pack(model, CompactModel.open(options.start))
    tokenizer = E5Tokenizer(weights)
    made = [feature for example in _examples(options) if (feature := feature_of(tokenizer, example)) is not None]
    tokens = sum(len(feature.window.ids) for feature in made)
    Console().print(f"{len(made):,} claims, {tokens:,} tokens")

    def epoch(number: int) -> list[list[Feature]]:
        lengths = [len(feature.window.ids) for feature in made]
        random = Random(f"{SEED}:{number}:batches")
        return [[made[place] for place in group] for group in batches(lengths, BATCH_TOKENS, random)]

    model.train()
    training = Training[list[Feature]](model, Schedule([1.0] * options.epochs, options.rate), options.out)
    training.fit(epoch, lambda group: model.loss(collate(group, "cpu")))


def _examples(options: argparse.Namespace) -> list[Example]:
    random = Random(SEED)
    asked = [question for questions in training_sets(options.data) for question in questions]
    chosen = random.sample(asked, min(options.questions, len(asked)))
    sentences = [
        Example(one.pair.claim, one.pair.passage, one.label, None, one.source)
        for one in training_verdicts(options.data)
    ]
    statements = load_statements(options.data / "judge_train", kept=False)
    english = [one for one in statement_examples(statements, random) if one.label is not None]
    return [*question_claims(chosen, random), *sentences, *random.sample(english, min(options.english, len(english)))]


def question_claims(questions: Sequence[Question], random: Random) -> Iterator[Example]:
    """Of each question its answer, beside the passage and a near one, and the answer of another question."""
    answers: defaultdict[str, list[str]] = defaultdict(list)
    for question in questions:
        answers[question.passage].append(question.answer)
    pool = [question.answer for question in questions if question.answer]
    for example in (one for one in questions if one.span):
        claim = claim_of(example.question, example.answer)
        yield Example(claim, example.passage, Label.SUPPORTS, example.span, "question")
        other = _other_answer(example.answer, [*answers[example.passage], *random.sample(pool, OTHERS_TRIED)])
        if other is not None:
            false = claim_of(example.question, other)
            yield Example(false, example.passage, Label.CONTRADICTS, example.span, "question")
    for question, *near in with_near_passages([one for one in questions if one.span]):
        claim = claim_of(question.question, random.choice([question.answer, random.choice(pool)]))
        yield from (Example(claim, other.passage, Label.IRRELEVANT, None, "same topic") for other in near)


def _other_answer(answer: str, candidates: Sequence[str]) -> str | None:
    """The first that shares nothing with the answer and has digits where it has some."""
    for other in candidates:
        alike = any(map(str.isdigit, other)) == any(map(str.isdigit, answer))
        if other and alike and other not in answer and answer not in other:
            return other
    return None


def feature_of(tokenizer: E5Tokenizer, example: Example) -> Feature | None:
    """The first window of an example, or the first that holds its span whole; None where none does."""
    ids, offsets = tokenizer.located(example.passage)
    asked, above = tokenizer.tokens(QUESTION + example.claim), tokenizer.tokens(PASSAGE)
    assert example.label is not None  # noqa: S101  (the others are left out)
    label = LABELS.index(example.label)
    cut = windows(asked, ids, context=above, max_tokens=WINDOW_TOKENS, question_tokens=CLAIM_TOKENS, marks=(BEGIN, END))
    for window in cut:
        if example.span is None:
            position = NOWHERE if example.label is Label.IRRELEVANT else UNKNOWN
            return Feature(window, label, position, position)
        start, end = example.span
        inside = [at for at, (first, last) in enumerate(offsets) if first < end and last > start]
        if inside and inside[0] >= window.first and inside[-1] < window.last:
            shift = window.offset - window.first
            return Feature(window, label, inside[0] + shift, inside[-1] + shift)
    return None


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--start", type=Path, default=Path("answering/e5/reader"), help="pack of a reader or judge")
    parser.add_argument("--out", type=Path, default=Path("build/languages_judge"))
    parser.add_argument("--questions", type=int, default=1500, help="of all that may train")
    parser.add_argument(
        "--english", type=int, default=30000, help="claims of the sentences that train the English judge"
    )
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
