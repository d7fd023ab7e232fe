"""What failed in a service and what goes on in it, written into its database: pages have to show such states too."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import NullPool, create_engine, select, text
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from registry.answers.model import AnswerRecord
from registry.connectors.model import Connector
from registry.connectors.result_schemas import ConnectorProblem, ConnectorReport
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.jobs.kinds import KINDS
from registry.platform.database.job_queue import ENTER_SCHEMA
from registry.platform.enums import RunStatus, Trigger
from registry.query_generations.model import QueryGeneration

BROKEN_LINES = b'{"source": "Herald", "external_id": "1", "content": "Red."}\n{broken\n'
MODEL_DOWN = {"detail": "The model server cannot be reached at http://10.0.0.9/v1; look at CREDENCE_CHAT_URL."}
UNREAD = {"detail": "None of the addresses could be read."}
PROBLEM = ConnectorProblem("https://press.example/feed.xml", "The address answers with status 503.")
FAILED_JOB = text(
    "INSERT INTO procrastinate_jobs (queue_name, task_name, args, status, attempts)"
    " VALUES ('default', :kind, cast(:args AS jsonb), 'failed', 3)"
)
PARAMETERS = EstimationParameters().model_dump(mode="json")


def trouble(url: URL) -> list[str]:
    """Runs and answers that failed or go on, and a connector, a generation of queries and a job that failed, in the
    corpus `default`; returns the paths of the pages of those that have one.

    A worker would take up what goes on when it looks for work that lost its job.
    """
    now = datetime.now(UTC)
    failed: dict[str, Any] = {"status": RunStatus.FAILED, "finished_at": now, "problem": MODEL_DOWN}
    running: dict[str, Any] = {"status": RunStatus.RUNNING, "started_at": now}
    read: dict[str, Any] = {"queries_total": 9, "queries_collected": 4, "sources_total": 4, "readings_made": 16}
    with Session(create_engine(url, poolclass=NullPool)) as session, session.begin():
        corpus_id = session.scalars(select(Corpus.id).where(Corpus.name == "default")).one()
        session.add(QueryGeneration(corpus_id=corpus_id, **failed))
        report = ConnectorReport(created=2, rejected=1, failed=1, problems=[PROBLEM]).model_dump(mode="json")
        feed = {"name": "Press", "kind": "feed", "config": {"urls": [PROBLEM.location]}, "report": report}
        session.add(Connector(corpus_id=corpus_id, **feed, **failed | {"problem": UNREAD}))
        for name, kind, config in (
            ("Table", "table", {"path": "/srv/news.csv", "columns": {"source": "site"}, "sync": True}),
            ("Site", "pages", {"sitemap": "https://press.example/sitemap.xml", "max_pages": 9}),
        ):
            session.add(Connector(corpus_id=corpus_id, name=name, kind=kind, config=config))
        runs = [
            EstimationRun(corpus_id=corpus_id, number=98 + place, trigger=Trigger.HTTP, parameters=PARAMETERS, **state)
            for place, state in enumerate((failed, running | read))
        ]
        answers = [
            AnswerRecord(corpus_id=corpus_id, question="Which tower leans?", parameters={"strategy": "wmv"}, **state)
            for state in (failed, {"status": RunStatus.RUNNING})
        ]
        session.add_all([*runs, *answers])
        session.flush()
        session.execute(ENTER_SCHEMA)
        session.execute(FAILED_JOB, {"kind": KINDS[0].job.name, "args": json.dumps({"subject_id": str(answers[0].id)})})
        here = "/corpora/default"
        return [f"{here}/estimations/{run.id}" for run in runs] + [f"{here}/answers/{each.id}" for each in answers]
