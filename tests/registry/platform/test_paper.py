"""`paper` gives what is not named the values of RA-RAG, and changes nothing else."""

from typing import Any

import pytest
from pydantic import BaseModel

from registry.answers.schemas import AnswerParameters, Strategy
from registry.estimations.schemas import EstimationParameters
from registry.platform.errors import SettingsError
from registry.platform.fields import require_settings_of_paper
from registry.platform.settings import Settings
from tests.tables import for_each

OF_ANSWERS = {
    "strategy": "wmv",
    "kappa": 4,
    "kappa_counts": "sources",
    "rank_by": "reliability",
    "max_readings": None,
    "stop_early": False,
    "candidates_only": False,
    "min_margin": 0.0,
    "use_topic": False,
    "class_policy": "exact",
}
OF_ESTIMATIONS = {
    "method": "iwmv",
    "labels": "sources",
    "negative_weights": "keep",
    "drift": "none",
    "topics": "none",
    "candidates_only": False,
    "use_gold": False,
    "class_policy": "exact",
}


@for_each(
    ("model", "of_paper", "named"),
    [
        (AnswerParameters, OF_ANSWERS, {"kappa": 2, "strategy": "madam", "topic": "sea"}),
        (AnswerParameters, OF_ANSWERS, {"kappa": None, "class_policy": "rounded"}),
        (EstimationParameters, OF_ESTIMATIONS, {"labels": "5", "method": "one_coin", "max_rounds": 7}),
    ],
)
def test_paper_fixes_what_is_not_named(model: type[BaseModel], of_paper: dict[str, Any], named: dict[str, Any]) -> None:
    def values(**sent: object) -> dict[str, Any]:
        return model.model_validate(sent).model_dump(mode="json")

    plain, alone = values(), values(paper=True)
    assert alone == plain | of_paper | {"paper": True}
    assert values(paper=False) == plain | {"paper": False}
    assert values(paper=True, **named) == alone | named
    # What is stored with an answer or a run is read again.
    assert values(**values(paper=True, **named)) == alone | named


def test_a_question_takes_the_rules_of_its_run_for_what_it_does_not_name() -> None:
    assert AnswerParameters(kappa=2).as_estimated(by_paper=True) == AnswerParameters(kappa=2, paper=True)
    assert AnswerParameters(kappa=None).as_estimated(by_paper=True).kappa == 4
    assert AnswerParameters(kappa=2).as_estimated(by_paper=False).min_margin == AnswerParameters().min_margin
    assert AnswerParameters(paper=False).as_estimated(by_paper=True) == AnswerParameters(paper=False)


@for_each(
    ("strategy", "in_paper"),
    [
        ("madam", {"rounds": 3, "aggregator": True, "first": "agents", "show_reliability": False}),
        ("astute", {"passages": 1, "consolidations": 1, "labels": "kind"}),
        ("drag", {"retrieval_rounds": 3, "response_rounds": 3, "fixed_rounds": True, "symmetric": False}),
        ("self_consistency", {"samples": 3, "chosen": "selected"}),
    ],
)
def test_debates_have_the_roles_and_rounds_of_their_papers(strategy: str, in_paper: dict[str, Any]) -> None:
    def parameters(**sent: object) -> dict[str, Any]:
        asked = AnswerParameters.model_validate({"strategy": strategy, **sent})
        return asked.parameters_of(Strategy(strategy)).model_dump(mode="json")

    assert in_paper.items() <= parameters(paper=True).items()
    name, value = next(iter(in_paper.items()))
    assert parameters(paper=True, **{strategy: {name: value + 1}}) == parameters(paper=True) | {name: value + 1}
    definition = Strategy(strategy).definition
    assert definition.in_paper.keys() <= definition.parameters.model_fields.keys()


def test_sources_have_to_be_read_as_in_the_paper() -> None:
    require_settings_of_paper(Settings())
    with pytest.raises(SettingsError, match="PASSAGES_PER_SOURCE=3"):
        require_settings_of_paper(Settings().model_copy(update={"passages_per_source": 4}))
