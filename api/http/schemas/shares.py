"""Links that show an answer to whoever has them."""

from typing import TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View


class ShareView(View):
    """A link that shows an answer, without the token that opens it."""

    id: UUID = Field(description="Identifier.")
    answer_id: UUID = Field(description="The answer.")
    actor: str = Field(
        description="Kind of caller who made it: `key`, `browser` (in the pages), `anonymous`, `cli` or `job`."
    )
    created_by: str = Field(description="Name of the API key or of the user; else as `actor`.", examples=["ops"])
    created_at: Time = Field(description="When it was made.")
    expires_at: Time = Field(description="When it ends by itself.")


class NewShareView(ShareView):
    """A new link."""

    path: str = Field(
        description="The path of the link at this service, with its token: whoever has it reads the answer. It is "
        "shown only now.",
        examples=["/shared/9wB2o4Jm0pQe5sT7uV8xY1zA3cD6fG-hIjKlMnOpQrS"],
    )


ShareList: TypeAlias = ListView[ShareView]
