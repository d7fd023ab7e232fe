"""A corpus in which documents are for two groups, and everything that is made of documents.

Whatever is in a document of a group holds the marker of the group: its titles, addresses, identifiers, its text, and
with it the answers that are read in it.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

from sqlalchemy import select, update

from registry.answers import jobs as queued_answers
from registry.answers import service as answers
from registry.answers.conversation import FollowUp, understood
from registry.answers.model import AnswerRecord
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.disputes.store import replace_contradictions
from registry.documents.model import Document
from registry.documents.schemas import Contradiction, DocumentInput
from registry.documents.service import ingest
from registry.estimations.model import EstimationRun, RunQuery, Vote
from registry.estimations.store.estimates import save_evaluation
from registry.evaluations.schemas import Calibration, Evaluation, QueryEvaluation
from registry.platform.enums import AnswerPolicy, QueryOrigin
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import JoinInput, QueryInput
from registry.queries.store import gold, joined_answers
from registry.query_generations import store as generations
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import DissentedQuery, JointDissent, OverrideInput, SourceInput
from registry.viewers.model import Asker, Viewer
from registry.votes import service as votes
from tests.registry.estimations.test_service import finished
from tests.registry.world import question

MARKERS = {"legal": "zylegal", "board": "zyboard"}
# Of each group a tower that only its documents are about; on Aldra there is a document for everybody too.
OWN = {"legal": "Brin", "board": "Corvo"}
SHARED = "Aldra"
LISTED = "tasks"
"""To which several answers are right."""
QUEUED = "Which colour is asked for in vain?"


@dataclass(frozen=True, slots=True)
class GroupedWorld:
    """What there is to be read, by its names."""

    sources: dict[str, str]
    documents: dict[str, tuple[str, str]]
    """By external id the identifiers of its source and of itself."""
    queries: dict[str, str]
    """By their texts."""
    answers: dict[tuple[str, str], str]
    """By question and by the group for which it was asked, `all` for one who sees everything."""
    estimation: str

    @property
    def documents_read(self) -> list[tuple[str, str]]:
        """Of each two that are alike the first."""
        return [own for name, own in self.documents.items() if not name.endswith("-2")]

    @classmethod
    async def of(cls, runtime: Runtime) -> Self:
        """What was built."""
        async with runtime.database.begin() as session:
            of_documents = select(Document.external_id, Document.source_id, Document.id)
            of_answers = select(AnswerRecord.question, AnswerRecord.viewer_groups, AnswerRecord.id)
            return cls(
                {name: str(row_id) for name, row_id in await session.execute(select(Source.name, Source.id))},
                {name: (str(source), str(own)) for name, source, own in await session.execute(of_documents)},
                {text: str(row_id) for text, row_id in await session.execute(select(Query.text, Query.id))},
                {(ask, (of or ["all"])[0]): str(own) for ask, of, own in await session.execute(of_answers)},
                str(await session.scalar(select(EstimationRun.id))),
            )


def document(group: str, name: str, text: str, **fields: object) -> DocumentInput:
    marker = MARKERS[group]
    return DocumentInput.model_validate(
        {
            "external_id": f"{marker}-{name}",
            "title": f"{marker} {name}",
            "url": f"https://example.com/{marker}/{name}",
            "attributes": {"of": marker},
            "content": f"{text} {marker}land; capital: {marker}{name}",
            "stated_values": [
                {"subject": subject, "relation": "capital", "value": f"{marker}{name}"}
                for subject in (f"{marker}land", f"{OWN[group]}land")
            ],
        }
        | fields
    )


async def build(runtime: Runtime, corpus: Corpus) -> None:
    """Two sources whose documents are for `legal` by their source, two whose documents name `board`, one with a
    document of each, and one for everybody.
    """
    names = ("open", "legal-1", "legal-2", "board-1", "board-2", "mixed")
    async with runtime.database.begin() as session:
        made = {
            name: await sources.create(
                session,
                corpus,
                SourceInput(name=name, allowed_groups=["legal"] if name.startswith("legal") else None),
            )
            for name in names
        }
    for group, marker in MARKERS.items():
        said = f"The tower of {SHARED} is painted {marker}red. The tower of {OWN[group]} is painted {marker}blue."
        allowed = {"allowed_groups": [group]} if group == "board" else {}
        for number in (1, 2):
            source = made[f"{group}-{number}"]
            await ingest(runtime, corpus, source.id, [document(group, str(number), said, **allowed)])
        own = document(group, "mixed", f"The tower of Esk is painted {marker}black.", allowed_groups=[group])
        await ingest(runtime, corpus, made["mixed"].id, [own])
    # Of these countries everybody has heard.
    said = f"The tower of {SHARED} is painted green. {' and '.join(f'{tower}land' for tower in OWN.values())} are far."
    plain = DocumentInput(external_id="open", title="Open", content=said)
    # Former revisions of what everybody sees now.
    for group in MARKERS:
        draft = document(group, "draft", "The tower of Esk.", external_id="open", allowed_groups=[group])
        await ingest(runtime, corpus, made["open"].id, [draft])
    await ingest(runtime, corpus, made["open"].id, [plain])
    async with runtime.database.begin() as session:
        for tower in (SHARED, *OWN.values(), "Esk"):
            await queries.create(session, corpus, QueryInput(external_id=tower, text=question(tower)))
        several = QueryInput(external_id=LISTED, text=LISTED, answers=AnswerPolicy.SEVERAL)
        await queries.create(session, corpus, several)
        reds = JoinInput(question=question(SHARED), answers=[f"{marker}red" for marker in MARKERS.values()])
        await joined_answers.add(session, corpus, reds)
        stored = (await session.scalars(select(Document))).all()
        for group, marker in MARKERS.items():
            origin = next(row for row in stored if row.external_id == f"{marker}-1")
            provenance = {
                "document_id": str(origin.id),
                "source_id": str(origin.source_id),
                "sentence": f"It is {marker}.",
                "answer": marker,
                "leading_answer": f"{MARKERS['board' if group == 'legal' else 'legal']} says otherwise",
            }
            text = f"Which {marker} colour is the tower of {SHARED} painted?"
            await generations.add(session, corpus, text, QueryOrigin.GENERATED, provenance, active=True)
            query = await queries.with_text(session, corpus, text)
            assert query is not None
            await gold.add(session, corpus, query.id, [f"{marker} by its document"])

    async for result in votes.import_votes(runtime, corpus, _imported_votes()):
        assert result.error is None
    run = await finished(runtime, corpus)
    await _found_since(runtime, corpus, run, made)
    plain_parameters = AnswerParameters()
    await answers.ask(runtime, corpus, question(SHARED), plain_parameters)
    for group, marker in MARKERS.items():
        asker = Asker(Viewer.of([group]))
        before = await answers.ask(runtime, corpus, question(SHARED), plain_parameters, asker=asker)
        meant = await understood(runtime, corpus, "And who says so?", before.id, asker=asker)
        assert isinstance(meant, FollowUp)
        # As a language model would make it whole, from the answer before.
        meant = replace(meant, question=f"Who says that it is {marker}red?")
        await answers.ask(runtime, corpus, meant, AnswerParameters(sources=["open"]), asker=asker)
    await queued_answers.start(runtime, corpus, QUEUED, plain_parameters, asker=Asker(Viewer.of(["legal"])))


async def _imported_votes() -> AsyncIterator[bytes]:
    for name in ("legal-1", "legal-2"):
        marker = MARKERS["legal"]
        yield json.dumps({"source": name, "query": "task", "answer": f"{marker}vote"}).encode()
        yield json.dumps({"source": name, "query": LISTED, "answer": [f"{marker}vote", "none"]}).encode()


async def _found_since(runtime: Runtime, corpus: Corpus, run: EstimationRun, made: dict[str, Source]) -> None:
    """What is found rarely: misreadings, contradictions, joint dissent, and an evaluation with mistakes."""
    async with runtime.database.begin() as session:
        firsts = [made[f"{group}-1"].id for group in MARKERS]
        await session.execute(update(Vote).where(Vote.source_id.in_(firsts)).values(misread=0.9))
        # Which of the answers wins is not what is tested; nobody is sure of it, so that it is the first to be labelled.
        shared = RunQuery.estimation_id == run.id, RunQuery.query_text == question(SHARED)
        await session.execute(update(RunQuery).where(*shared).values(answer=f"{MARKERS['board']}red", lead=0.0))
        of_documents = select(Query.id).where(Query.origin == QueryOrigin.GENERATED)
        await session.execute(
            update(Vote).where(Vote.source_id == made["open"].id, Vote.query_id.in_(of_documents)).values(misread=0.9)
        )
        for marker in MARKERS.values():
            first, second, *_ = (
                await session.scalars(select(Document).where(Document.external_id.like(f"{marker}%")))
            ).all()
            found = Contradiction(
                question=f"What is {marker}?",
                answer=marker,
                quote=f"It is {marker}.",
                other_source_id=second.source_id,
                other_document_id=second.id,
                other_answer=marker,
                other_quote=f"It is {marker}.",
                probability=0.9,
            )
            await replace_contradictions(session, corpus, first.id, [found])
        # Of all sources alike, so that all take part in what is asked.
        for source in made.values():
            await sources.set_override(
                session, corpus, source.id, OverrideInput(reliability=0.9, reason="known"), "ops"
            )
        group = JointDissent(
            source_ids=(made["legal-1"].id, made["board-1"].id),
            source_names=("legal-1", "board-1"),
            log_odds=3.0,
            queries=tuple(
                DissentedQuery(query_id=run.id, query_text=f"What is {marker}?", answer=marker)
                for marker in MARKERS.values()
            ),
        )
        row = await session.get_one(EstimationRun, run.id)
        row.joint_dissents = [group.model_dump(mode="json")]
        mistakes = tuple(
            QueryEvaluation(
                query_id=run.id,
                text=f"What is {marker}?",
                answer=marker,
                gold_answers=("Oslo",),
                confidence=0.9,
                sources_right=0,
                sources_answered=2,
            )
            for marker in MARKERS.values()
        )
        evaluation = Evaluation(
            corpus=corpus.name,
            created_at=datetime(2026, 11, 26, tzinfo=UTC),
            estimation_id=run.id,
            reader="scripted",
            kappa=None,
            queries=2,
            methods=(),
            calibration=Calibration(bins=(), expected_error=None, brier=None),
            sources=(),
            correlation=None,
            mean_difference=None,
            mistakes=mistakes,
            notes=(),
        )
        await save_evaluation(session, corpus, evaluation)
