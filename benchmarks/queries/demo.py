"""The demo corpus, of which the truth is known: its answers by estimates from given queries and from generated ones."""

from api.demo.audit import Gold
from api.demo.corpus import load_corpus, true_reliability
from benchmarks.multisource.service import asked
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.runtime import Runtime


def truth() -> dict[str, float]:
    """The share of the statements of each source that are right, by its name."""
    published = true_reliability()
    return {source.name: published[source.external_id] for source in load_corpus().sources}


async def right_answers(runtime: Runtime, corpus: Corpus) -> tuple[int, int]:
    """How many of the demo's queries and questions the service answers right by the current run, and of how many."""
    corpus_data = load_corpus()
    judged = [item for item in (*corpus_data.queries, *corpus_data.questions) if item.gold_answers]
    right = 0
    for item in judged:
        result, _ = await asked(runtime, corpus, item.text, AnswerParameters())
        right += len(result.answers) == 1 and Gold.of(item.text, item.gold_answers).accepts(result.answers[0])
    return right, len(judged)
