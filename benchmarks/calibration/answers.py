"""Answers to questions of known truth, made by the service, and verdicts on claims: how sure, and whether right."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answering.readers import CompactReader
from benchmarks.calibration.worlds import NOTHING, fitted_and_judged
from benchmarks.data.ramdocs import load_questions
from benchmarks.data.splits import Part
from benchmarks.debate.in_service import loaded
from benchmarks.debate.scores import matches
from benchmarks.harness.reliability import Judged
from benchmarks.multisource import snopes
from benchmarks.multisource.runner import opened_service
from benchmarks.multisource.service import asked, estimated
from benchmarks.web import service as web
from benchmarks.web.questions import load
from registry.answers.schemas import AnswerParameters

# The judge reads some 30 articles a second.
SNOPES_CLAIMS = 400
STANCES = Path("build") / "calibration" / snopes.STANCES


async def on_web_results(folder: Path, limit: int | None = None) -> Judged:
    """Of questions on current affairs, from the results of a search engine, every site a source."""
    questions = load(folder / "questions.json.gz", limit)
    async with opened_service(CompactReader()) as runtime:
        corpus = await web.load(runtime, "web", questions)
        await estimated(runtime, corpus, "auto")
        answers = await web.answered(runtime, corpus, questions, AnswerParameters())
    return _judged(
        [
            (given.confidence, question.is_right(given.answer))
            for question, given in zip(questions, answers, strict=True)
            if given.answer is not None
        ]
    )


async def on_ramdocs(folder: Path, limit: int | None = None) -> Judged:
    """Of ambiguous questions with misinformation, dealt to nine sources whose reliabilities are estimated."""
    path = folder / "ramdocs_dev.jsonl"
    questions = load_questions(path, limit)
    others = [] if limit else load_questions(path, part=Part.CALIBRATION)
    answers = []
    async with opened_service(CompactReader()) as runtime:
        corpus, _ = await loaded(runtime, [*questions, *others])
        await estimated(runtime, corpus, "auto")
        for question in questions:
            result, _ = await asked(runtime, corpus, question.text, AnswerParameters())
            if result.answers:
                right = any(matches(result.answers[0], gold) for gold in question.gold)
                answers.append((result.confidence, right))
    return _judged(answers)


def on_snopes(folder: Path, limit: int = SNOPES_CLAIMS) -> Judged:
    """Of claims, true or false by the stances of web sites, each half judged by an estimate on the other."""
    articles = snopes.load_articles(folder)
    claims = sorted({article.claim_id for article in articles})
    chosen = set(np.random.default_rng(0).permutation(claims)[:limit].tolist())
    kept = [article for article in articles if article.claim_id in chosen]
    data = snopes.claim_votes(snopes.judged(kept, STANCES))
    half = np.random.default_rng(0).random(data.votes.query_count) < 0.5
    of_halves = NOTHING
    for fitted in (half, ~half):
        of_halves = of_halves.joined(fitted_and_judged(data.votes, data.truth, fitted)[1])
    return of_halves


def _judged(answers: Sequence[tuple[float, bool]]) -> Judged:
    confidence, right = zip(*answers, strict=True) if answers else ((), ())
    return Judged(np.array(confidence, dtype=np.float64), np.array(right, dtype=np.bool_))
