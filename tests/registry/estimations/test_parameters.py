"""Parameters of estimations, and that what a source corrected counts neither for it nor against it."""

from inspect import signature

from sqlalchemy import select

from estimator import estimate
from estimator.distributed.estimation import estimate_files
from estimator.methods import DEFAULT_METHOD
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import store as estimations
from registry.estimations.difference import changed_settings, note_on
from registry.estimations.model import EstimationRun, Vote
from registry.estimations.schemas import EstimationParameters
from registry.runtime import Runtime
from registry.sources import store as sources
from tests.registry.estimations.test_service import finished
from tests.registry.world import TRUTH
from tests.tables import for_each


async def test_a_source_that_corrects_itself_is_not_blamed_for_former_revisions(
    three_sources: Runtime, corpus: Corpus
) -> None:
    async def estimated() -> tuple[EstimationRun, dict[str, float | None]]:
        run = await finished(three_sources, corpus, EstimationParameters(method="iwmv"))
        async with three_sources.database.begin() as session:
            return run, {row.source_name: row.reliability for row in await estimations.sources_of(session, run)}

    _, before = await estimated()
    async with three_sources.database.begin() as session:
        rumour = await sources.find(session, corpus, "rumour")
    corrected = [
        DocumentInput(external_id=tower, title=tower, content=f"By rumour. The tower of {tower} is painted {colour}.")
        for tower, colour in TRUTH.items()
    ]
    await ingest(three_sources, corpus, rumour.id, corrected)
    run, after = await estimated()
    async with three_sources.database.begin() as session:
        votes = select(Vote.answer).where(Vote.estimation_id == run.id, Vote.source_id == rumour.id)
        said = (await session.scalars(votes)).all()
    assert (before["Rumour"], after["Rumour"]) == (0.5, 1.0)
    assert sorted(str(answer) for answer in said) == sorted(TRUTH.values())


def test_the_default_method_of_the_library_is_that_of_the_service() -> None:
    defaults = [signature(function).parameters["method"].default for function in (estimate, estimate_files)]
    assert [*defaults, EstimationParameters().method] == [DEFAULT_METHOD] * 3


@for_each("former, name", [("bayes", "one_coin"), ("confusion", "dawid_skene")])
def test_former_names_of_methods_are_accepted(former: str, name: str) -> None:
    assert EstimationParameters.model_validate({"method": former}).method == name


OTHER_VALUES = {
    "labels": "4",
    "ties": "no_answer",
    "negative_weights": "zero",
    "max_rounds": 7,
    "drift": "none",
    "topics": "3",
    "candidates_only": True,
    "use_gold": True,
    "class_policy": "exact",
    "origin": "given",
    "paper": True,
}


def test_every_parameter_that_changed_is_named_in_words() -> None:
    assert OTHER_VALUES.keys() == EstimationParameters.model_fields.keys() - {"method", "full"}
    before = EstimationRun(method="iwmv", parameters={})
    for name, value in OTHER_VALUES.items():
        after = EstimationRun(method="iwmv", parameters=EstimationParameters().model_dump(mode="json") | {name: value})
        note = note_on(changed_settings(before, after))
        assert note is not None
        assert not note.startswith(f"The {name}")
        assert "parameter" not in note
