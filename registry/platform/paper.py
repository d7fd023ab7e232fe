"""`paper`: the parameters of RA-RAG at once (arXiv:2410.22954), so that anybody can compare with it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import StrictBool, model_validator

from answering.parameters import Parameters


class PaperSwitch(Parameters):
    """Parameters some of which have another default with `paper`."""

    as_in_paper: ClassVar[Mapping[str, Any]] = {}
    """These, by name."""

    paper: StrictBool = False
    """Whether to use the defaults of RA-RAG (arXiv:2410.22954) for parameters that are not given."""

    @model_validator(mode="before")
    @classmethod
    def _take_from_paper(cls, values: Any) -> Any:  # noqa: ANN401  (input)
        is_wanted = isinstance(values, Mapping) and values.get("paper") is True
        return {**cls.as_in_paper, **values} if is_wanted else values
