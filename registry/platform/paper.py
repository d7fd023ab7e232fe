"""`paper`: the parameters of RA-RAG at once (arXiv:2410.22954), so that anybody can compare with it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import model_validator

from answering.parameters import Parameters
from registry.platform.errors import SettingsError

if TYPE_CHECKING:  # Commands that only name a parameter read no settings.
    from registry.platform.settings import Settings

PASSAGES = 3
"""Passages in a reading (section 5)."""


class PaperSwitch(Parameters):
    """Parameters with a field `paper`, with which some have another default."""

    as_in_paper: ClassVar[Mapping[str, Any]] = {}
    """These, by name."""

    @model_validator(mode="before")
    @classmethod
    def _take_from_paper(cls, values: Any) -> Any:  # noqa: ANN401  (input)
        is_wanted = isinstance(values, Mapping) and values.get("paper") is True
        return {**cls.as_in_paper, **values} if is_wanted else values


def require_settings_of_paper(settings: "Settings") -> None:
    """Raises `SettingsError` if sources are not read as in the paper."""
    if settings.passages_per_source != PASSAGES:
        raise SettingsError(
            f"paper needs CREDENCE_PASSAGES_PER_SOURCE={PASSAGES}, as in RA-RAG; it is {settings.passages_per_source}. "
            "Set it, or leave paper out."
        )
