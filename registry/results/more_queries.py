"""How exactly a run knows its sources, and what more queries would bring."""

from uuid import UUID

from pydantic import Field

from registry.results.base import Result, Score


class SourceWidth(Result):
    """How exactly a run knows a source."""

    source_id: UUID = Field(description="The source.")
    source_name: str = Field(description="Its name at the time of the run.", examples=["Acme's blog"])
    votes: int = Field(description="Votes it cast.", examples=[14])
    width: Score = Field(description="Width of its 90 % interval.", examples=[0.32])
    expected_width: Score = Field(
        description="The same with more queries, of which it answers as large a share as of those of the run.",
        examples=[0.27],
    )
    expected_if_it_answers: Score = Field(
        description="The same where it answers each of them, as it does those written from its own documents.",
        examples=[0.19],
    )


class MoreQueries(Result):
    """How exactly a run knows its sources, and what more queries would bring: intervals narrow with the square root of
    what votes tell."""

    queries: int = Field(description="How many more.", examples=[20])
    width: Score = Field(description="Mean width of the 90 % intervals of the sources with votes.", examples=[0.21])
    expected_width: Score = Field(description="The same with so many more queries like those of the run.")
    sources: list[SourceWidth] = Field(
        description="The sources of which least is known, at most 20, widest interval first. Generated queries are "
        "written from their documents first."
    )
