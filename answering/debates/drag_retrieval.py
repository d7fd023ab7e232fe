"""DRAG's retrieval debate: is what was found enough, or which query should be better? (Hu et al. 2025, section 3.2.)

The proponent defends the pool of queries as it is, the challenger replaces one or adds one, the judge names the winner.
The pool is settled when the proponent wins, when nothing new is proposed, or when nobody can be understood.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from answering.debates.parsing import QueryChange, parse_query_change, parse_verdict
from answering.debates.parsing.queries import MAX_QUERY_CHARACTERS
from answering.debates.protocol import Ask, Conversation, Search, SourceDocument, ask, out_of_budget, search
from answering.debates.quoting import document_blocks, paragraphs, question_line, sanitized, tagged
from answering.prompts import load_prompt
from answering.text import squad_normalise

PROPONENT, CHALLENGER = "proponent", "challenger"
MAX_ARGUMENT_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class _Query:
    text: str
    documents: tuple[SourceDocument, ...]


class RetrievalDebate:
    """`documents` is what the queries of the pool have found, each once."""

    def __init__(
        self, question: str, documents: Sequence[SourceDocument], *, rounds: int, per_query: int, selected_only: bool
    ) -> None:
        self._question = question
        self._pool = [_Query(question, tuple(documents))]
        self._rounds = rounds
        self._per_query = per_query
        self._selected_only = selected_only

    @property
    def documents(self) -> tuple[SourceDocument, ...]:
        return tuple({document.id: document for query in self._pool for document in query.documents}.values())

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(query.text for query in self._pool)

    def debate(self) -> Conversation[bool]:
        """Settles the pool; whether the budget ended before."""
        if not self.documents and (yield from self._searched(self._question, 0, 0)):
            return True
        for number in range(1, self._rounds + 1):
            spent, challenge = yield from self._argued(number)
            if spent or challenge is None:
                return spent
            place = len(self._pool) if challenge.replaces is None else challenge.replaces - 1
            if (yield from self._searched(challenge.query, place, number)):
                return True
        return False

    def _argued(self, number: int) -> Conversation[tuple[bool, QueryChange | None]]:
        """Whether the budget ended, and the change to the pool that won."""
        found = paragraphs(self._found(), question_line(self._question))
        proponent, challenger = yield from ask([self._proponent(found, number), self._challenger(found, number)])
        if out_of_budget([proponent, challenger]):
            return True, None
        challenge = challenger.value
        if not isinstance(challenge, QueryChange) or self._known(challenge.query):
            return False, None
        arguments = [(PROPONENT, proponent.text), (CHALLENGER, challenger.text)]
        heard = "\n".join(
            tagged("argument", f"of the {side}", text, MAX_ARGUMENT_CHARACTERS) for side, text in arguments
        )
        prompt = load_prompt("drag_search_judge")
        text = paragraphs(self._found(), heard, question_line(self._question), prompt.closing)
        parse = partial(parse_verdict, sides=(PROPONENT, CHALLENGER))
        (verdict,) = yield from ask([Ask("search judge", number, prompt, text, parse)])
        return out_of_budget([verdict]), challenge if verdict.value == CHALLENGER else None

    def _proponent(self, found: str, number: int) -> Ask[object]:
        return Ask("search proponent", number, load_prompt("drag_search_proponent"), found, _argument)

    def _challenger(self, found: str, number: int) -> Ask[object]:
        prompt = load_prompt("drag_search_challenger")
        parse = partial(parse_query_change, queries=len(self._pool), shown=f"{prompt.text}\n{prompt.closing}")
        return Ask("search challenger", number, prompt, paragraphs(found, prompt.closing), parse)

    def _found(self) -> str:
        queries = "\n".join(
            tagged("query", str(number), query.text, MAX_QUERY_CHARACTERS) for number, query in enumerate(self._pool, 1)
        )
        return paragraphs(queries, document_blocks(self.documents))

    def _known(self, query: str) -> bool:
        return squad_normalise(query) in {squad_normalise(text) for text in self.queries}

    def _searched(self, query: str, place: int, number: int) -> Conversation[bool]:
        """Puts the query and what it finds into the pool; whether the budget ended before."""
        (reply,) = yield from search([Search(CHALLENGER, number, query, self._per_query, self._selected_only)])
        if reply.value is not None:
            self._pool[place : place + 1] = [_Query(query, reply.value)]
        return out_of_budget([reply])


def _argument(reply: str) -> str | None:
    return sanitized(reply, MAX_ARGUMENT_CHARACTERS) or None
