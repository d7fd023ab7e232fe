"""The votes of readers that miss nothing of the demo corpus, for the estimator alone."""

from answering.equivalence import answer_key
from api.demo.corpus import load_corpus
from estimator import VoteMatrix


def stated_votes() -> tuple[VoteMatrix, list[str]]:
    """Everything stated about the queries, and the answer class that each answer id means."""
    corpus = load_corpus()
    sources = [source.external_id for source in corpus.sources]
    queries = [query.external_id for query in corpus.queries]
    statements = [statement for statement in corpus.statements if statement.query in queries]
    keys = [answer_key(statement.answer) for statement in statements]
    classes = sorted(set(keys))
    votes = VoteMatrix.from_triples(
        [queries.index(statement.query) for statement in statements],
        [sources.index(statement.source) for statement in statements],
        [classes.index(key) for key in keys],
        query_count=len(queries),
        source_count=len(sources),
    )
    return votes, classes
