"""Errors of the HTTP layer itself; `estimator.errors` has the tree of them all."""

from starlette.exceptions import HTTPException

from estimator.errors import CredenceError


class ApiError(CredenceError):
    """An error of the HTTP layer itself."""


class BodyTooLarge(ApiError, HTTPException):
    """More bytes than this path takes.

    Also an HTTPException, as FastAPI makes a 400 of everything else that is raised while it reads a body.
    """

    def __init__(self, limit: int) -> None:
        HTTPException.__init__(self, 413)
        self.limit = limit

    def __str__(self) -> str:
        return f"The body is larger than the {self.limit:,} bytes that this path takes. Send it in parts."


class StaleForm(ApiError):
    """A form of a page that this session did not load."""


class BrokenBody(ApiError):
    """A body that is not what its headers say."""


class UnsupportedMediaType(ApiError):
    """A Content-Type or Content-Encoding that nothing here understands."""
