"""How commands fail, and the embedded database that the first of them sets up."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.engine import URL
from typer.testing import CliRunner

from api.cli import schema
from api.cli.application import app
from api.cli.environment import Environment
from api.cli.invocation import own_error
from api.cli.schema import bring_up_to_date
from migrations import control
from registry.platform.errors import NotFound, SchemaOutdated
from registry.platform.settings import Settings
from tests.tables import for_each


@for_each(
    ("environment", "why"),
    [
        ({"CREDENCE_PORT": "many", "CREDENCE_LOG_FORMAT": "loud"}, "CREDENCE_PORT"),
        ({"CREDENCE_PORT": "many", "CREDENCE_LOG_FORMAT": "loud"}, "CREDENCE_LOG_FORMAT"),
        ({"CREDENCE_READER": "gguf"}, "needs CREDENCE_READER_MODEL"),
        ({"DATABASE_URL": "mysql://root:hunter2@localhost/x"}, "PostgreSQL only"),
        ({"DATABASE_URL": "::hunter2::"}, "DATABASE_URL is not a URL"),
        ({"DATABASE_REPLICA_URL": "postgresql://hunter2@replica/x"}, "need DATABASE_URL"),
        (
            dict.fromkeys(("DATABASE_URL", "DATABASE_REPLICA_URL"), "postgresql://hunter2@server/x"),
            "set it to the replica",
        ),
        ({"CREDENCE_DATA_DIR": "/dev/null/hunter2"}, "CREDENCE_DATA_DIR"),
    ],
)
def test_a_setting_that_cannot_work_is_named_without_secrets(environment: dict[str, str], why: str) -> None:
    result = CliRunner(env={"DATABASE_URL": None, **environment}).invoke(app, ["sources"])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 1
    assert why in result.stderr
    assert "hunter2" not in result.stderr.replace("/dev/null/hunter2", "")
    assert "Traceback" not in result.stderr


def test_an_unforeseen_error_is_raised() -> None:
    def broken() -> object:
        raise RuntimeError("a bug")

    environment = Environment(load_settings=broken)  # type: ignore[arg-type]  # that is the bug
    result = CliRunner().invoke(app, ["sources"], obj=environment)
    assert isinstance(result.exception, RuntimeError)


def test_a_group_of_own_errors_is_reported_as_its_first_and_a_mixed_group_is_not() -> None:
    error = NotFound("source", "x")
    assert own_error(ExceptionGroup("", [ExceptionGroup("", [error])])) is error
    assert own_error(ExceptionGroup("", [error, ValueError()])) is None
    assert own_error(BaseExceptionGroup("", [KeyboardInterrupt()])) is None


OLDER = "0049"


def test_an_empty_one_is_set_up_and_an_older_one_is_left_to_commands_that_stay(
    new_database: Callable[[], URL], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url, settings, said = new_database(), Settings(data_dir=tmp_path), list[str]()
    monkeypatch.setattr(schema, "resolve_direct_url", lambda _settings: url)
    bring_up_to_date(settings, said.append, only_empty=True)
    assert control.current(url) == control.head()
    bring_up_to_date(settings, said.append, only_empty=True)
    control.downgrade(url, OLDER)
    with pytest.raises(SchemaOutdated, match="migrate upgrade"):
        bring_up_to_date(settings, said.append, only_empty=True)
    bring_up_to_date(settings, said.append)
    assert control.current(url) == control.head()
    assert [line.rpartition(" ")[2] for line in said] == ["up.", "upgraded."]
