"""An address of the web that can be fetched, as callers send it."""

from typing import Annotated

import httpx
from pydantic import AfterValidator, Field

from registry.platform.fields import Url


def _fetchable(url: str) -> str:
    if not url:
        raise ValueError("is empty; give an address that begins with http:// or https://")
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(f"is no address that can be fetched: {error}") from error
    if address.userinfo:
        raise ValueError("holds a user name or password, which is not sent; remove it")
    return url


WebAddress = Annotated[Url, Field(json_schema_extra={"minLength": 1}), AfterValidator(_fetchable)]
