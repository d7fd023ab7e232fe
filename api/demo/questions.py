"""The questions of the demo, each answered by the selected sources and by a majority of all."""

from dataclasses import dataclass

from api.demo.audit import Gold
from api.demo.corpus import DemoQuestion, load_corpus
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.runtime import Runtime


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question, its answer from the selected sources, and what all sources would have said with equal votes."""

    question: DemoQuestion
    result: AnswerResult
    all_sources: AnswerResult
    is_right: bool
    majority: tuple[str, ...]
    majority_is_right: bool


async def ask(runtime: Runtime, corpus: Corpus, question: DemoQuestion) -> DemoAnswer:
    """Ask twice, for the answer and for the votes of all sources; no question becomes a query."""
    parameters = AnswerParameters(keep_as_query=False)
    of_all = parameters.model_copy(update={"kappa": len(load_corpus().sources)})
    selected, all_sources = [
        AnswerResult.model_validate((await answers.ask(runtime, corpus, question.text, asked)).result)
        for asked in (parameters, of_all)
    ]
    majority = _most_voted(all_sources)
    gold = Gold.of(question.text, question.gold_answers)
    return DemoAnswer(
        question=question,
        result=selected,
        all_sources=all_sources,
        is_right=_is_right(selected.answers, gold),
        majority=majority,
        majority_is_right=_is_right(majority, gold),
    )


def _most_voted(result: AnswerResult) -> tuple[str, ...]:
    """The answers that most sources gave, each counted once; several if they tie, none if nobody answered."""
    most = max((entry.votes for entry in result.tally), default=0)
    return tuple(entry.answer for entry in result.tally if entry.votes == most)


def _is_right(answers: tuple[str, ...], gold: Gold) -> bool:
    """Whether the only answer is right; where there is no right answer, whether none was given."""
    if not gold.keys:
        return not answers
    return len(answers) == 1 and gold.accepts(answers[0])
