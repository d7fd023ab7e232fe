"""The settings by which people sign in with a provider of identities."""

from typing import Self

from pydantic import BaseModel, Field, HttpUrl, SecretStr, model_validator

from registry.platform.enums import Role

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class SignInSettings(BaseModel):
    """Sign-in with OpenID Connect."""

    oidc_issuer: HttpUrl | None = Field(
        default=None,
        description="OpenID Connect issuer with which people sign in, such as `https://id.example/realms/team`. It"
        " knows the address `/sign-in/callback` of this service. Unset: only API keys sign in.",
    )
    oidc_client_id: str | None = Field(
        default=None, min_length=1, description="Client id of this service at the issuer."
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="Client secret. Unset: a public client, with PKCE alone."
    )
    oidc_role_claim: str | None = Field(
        default=None,
        min_length=1,
        description="Claim that holds `owner`, `editor` or `reader`, alone or in a list; it then decides at every"
        " sign-in. Unset: owners give roles in the service.",
    )
    oidc_default_role: Role | None = Field(
        default=None,
        description="Role of people without another: `reader`, `editor` or `owner`. Unset: they are not let in.",
    )

    @model_validator(mode="after")
    def _has_client(self) -> Self:
        if self.oidc_issuer is not None:
            if self.oidc_client_id is None:
                raise ValueError("CREDENCE_OIDC_ISSUER needs CREDENCE_OIDC_CLIENT_ID")
            if self.oidc_issuer.scheme != "https" and self.oidc_issuer.host not in LOOPBACK:
                raise ValueError("CREDENCE_OIDC_ISSUER must begin with https://")
        return self
