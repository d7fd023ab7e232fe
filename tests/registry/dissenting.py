"""Joint dissent in a run that found none."""

from collections.abc import Mapping

from sqlalchemy import select

from registry.estimations.model import EstimationRun, RunQuery, RunSource
from registry.runtime import Runtime
from tests.registry.world import question


async def dissenting(
    runtime: Runtime, run: EstimationRun, names: Mapping[str, str], said: Mapping[str, str]
) -> list[str]:
    """Make these sources, shown under other names, a group that dissents on these towers; returns their identifiers."""
    async with runtime.database.begin() as session:
        sources = select(RunSource).where(RunSource.estimation_id == run.id, RunSource.source_name.in_(names))
        members = {row.source_name: str(row.source_id) for row in await session.scalars(sources)}
        texts = {question(tower): answer for tower, answer in said.items()}
        asked = select(RunQuery).where(RunQuery.estimation_id == run.id, RunQuery.query_text.in_(texts))
        queries = [
            {"query_id": str(row.query_id), "query_text": row.query_text, "answer": texts[row.query_text]}
            for row in await session.scalars(asked.order_by(RunQuery.query_text))
        ]
        ids = [members[name] for name in names]
        group = {"source_ids": ids, "source_names": list(names.values()), "log_odds": 46.0, "queries": queries}
        (await session.get_one(EstimationRun, run.id)).joint_dissents = [group]
    return ids
