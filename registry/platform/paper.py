"""`paper`: the parameters of RA-RAG at once (arXiv:2410.22954), so that anybody can compare with it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import model_validator

from answering.parameters import Parameters


class PaperSwitch(Parameters):
    """Parameters with a field `paper`, with which some have another default."""

    as_in_paper: ClassVar[Mapping[str, Any]] = {}
    """These, by name."""

    @model_validator(mode="before")
    @classmethod
    def _take_from_paper(cls, values: Any) -> Any:  # noqa: ANN401  (input)
        is_wanted = isinstance(values, Mapping) and values.get("paper") is True
        return {**cls.as_in_paper, **values} if is_wanted else values
