"""Problems (RFC 9457), and failures of work that was accepted."""

from pydantic import Field

from api.http.schemas.base import View


class Fault(View):
    """One thing that is wrong with a request."""

    location: str = Field(
        description="Location: `body`, `query`, `path` or `header`, then the names that lead to it.",
        examples=["body.parameters.kappa"],
    )
    message: str = Field(description="Error at that location.", examples=["Input should be greater than or equal to 1"])


class Problem(View):
    """The reason why a request failed (RFC 9457)."""

    type: str = Field(
        description="The kind of problem, for programs; it never changes and can be read at that address.",
        examples=["/problems/invalid-request"],
    )
    title: str = Field(description="The kind of problem in words.", examples=["The request is not valid"])
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong this time, and what to do.", examples=["1 part is not valid."])
    instance: str = Field(description="The path that was asked for.", examples=["/v1/corpora/default/answers"])
    request_id: str = Field(
        description="The id under which the log of the service has more.", examples=["0199f0a2c4e57d3a8b1c2d3e4f5a6b7c"]
    )
    errors: list[Fault] | None = Field(
        default=None, description="Only of requests that are not valid: every part that is wrong, at most 20."
    )


class Failure(View):
    """The reason why accepted work failed in the end."""

    detail: str = Field(description="What went wrong, and what to do.", examples=["This corpus has no active queries."])
