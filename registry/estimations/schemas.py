"""Parameters of an estimation, which are stored with its run."""

from enum import StrEnum
from typing import Annotated, ClassVar, Final

from pydantic import BeforeValidator, Field, StrictBool

from answering.equivalence import ClassPolicy
from answering.parameters import Number
from estimator.methods import DEFAULT_METHOD, METHODS, Options
from estimator.policies import Drift, LabelCount, NegativeWeights, TiePolicy
from registry.platform.enums import QueryOrigin
from registry.platform.fields import Input
from registry.platform.paper import PaperSwitch

METHOD_SUMMARIES = "; ".join(f"`{method.name}`: {method.summary}" for method in METHODS)


FILE_PARAMETERS: Final = frozenset({"method", "labels", "ties", "negative_weights", "max_rounds"})
"""Names of the parameters that estimates by files of votes know."""


class Method(StrEnum):
    """Where the reliabilities and the weights come from."""

    # Members are those of the one list of methods, which a type checker need not know.
    vars().update({method.name.upper(): method.name for method in METHODS})


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class EstimationParameters(Input, PaperSwitch):
    """Parameters of an estimation run."""

    as_in_paper: ClassVar = {
        "method": Method("iwmv"),
        "labels": None,
        "negative_weights": NegativeWeights.KEEP,
        "drift": Drift.NONE,
        "topics": "none",
        "candidates_only": False,
        "use_gold": False,
        "class_policy": ClassPolicy.VALUES,
    }

    method: Annotated[Method, Field(description=f"The estimator. {METHOD_SUMMARIES}.")] = Method(DEFAULT_METHOD)
    labels: Annotated[int, Field(ge=2, le=1_000_000), Number] | None = None
    """The number of labels L in the weight L*w - 1 of `iwmv`; null takes the number of sources, as in RA-RAG."""
    ties: TiePolicy = TiePolicy.SUPPORTERS
    """Which class wins a tie."""
    negative_weights: NegativeWeights = NegativeWeights.KEEP
    """How `iwmv` treats the negative weight of a source that is right less often than chance."""
    max_rounds: Annotated[int, Field(ge=1, le=1000), Number] = 100
    """Most rounds of the iteration, after which it stops unconverged."""
    drift: Drift = Drift.AUTO
    """Whether changes of reliability are looked for in the publication times of votes, so that a source that turned
    counts by its present reliability (`auto`), or every source has one reliability (`none`)."""
    topics: Annotated[str, Field(pattern=r"^(auto|none|[1-9][0-9]?)$"), BeforeValidator(_as_text)] = "auto"
    """Into how many topics queries are divided, on each of which a source has a reliability of its own: as many as the
    votes support (`auto`), a number up to 99, or one for all (`none`)."""
    candidates_only: StrictBool | None = None
    """Whether to read for a query only sources in which one search over the corpus finds a passage worth reading; null:
    above 200 sources."""
    use_gold: StrictBool | None = None
    """Whether votes on queries with gold answers are judged by them; null: as `use_gold` of the corpus says. Audits of
    the run leave these queries out; keep some for audits by making them inactive."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """When two answers are in the same class."""
    origin: QueryOrigin | None = None
    """Which of the active queries it asks, by where they came from; null: all."""
    full: StrictBool = False
    """Whether to search and read everything anew, instead of taking over votes that cannot have changed since the last
    run. The result is the same."""

    @property
    def topic_count(self) -> int | None:
        """The number of topics; None for as many as the votes support."""
        return int(self.topics) if self.topics.isdigit() else None

    @property
    def file_options(self) -> Options:
        """`FILE_PARAMETERS` but for the method, for `estimator.distributed`."""
        return Options(
            labels=self.labels or LabelCount.SOURCES,
            ties=self.ties,
            negative_weights=self.negative_weights,
            max_rounds=self.max_rounds,
        )
