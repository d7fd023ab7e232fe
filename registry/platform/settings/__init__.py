"""Every setting of the service, typed. Each is read from the environment variable CREDENCE_<NAME>."""

from pydantic_settings import BaseSettings, SettingsConfigDict

from registry.platform.settings.answers import AnswerJudge, AnswerSettings
from registry.platform.settings.database import DatabaseSettings
from registry.platform.settings.jobs import JobSettings
from registry.platform.settings.language_models import LanguageModelSettings
from registry.platform.settings.operations import LogFormat, OperationSettings
from registry.platform.settings.service import LOOPBACK, ServiceSettings

__all__ = ["LOOPBACK", "AnswerJudge", "LogFormat", "Settings"]


# Pydantic takes the fields of the last class first.
class Settings(
    OperationSettings,
    JobSettings,
    AnswerSettings,
    LanguageModelSettings,
    ServiceSettings,
    DatabaseSettings,
    BaseSettings,
):
    """The settings of one process; built once at its start and handed down, never imported as a global."""

    model_config = SettingsConfigDict(env_prefix="CREDENCE_", frozen=True, extra="ignore", populate_by_name=True)
