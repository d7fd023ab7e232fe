"""The embedded database is set up by whichever command comes first, and upgraded by those that stay."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from api.cli import schema
from api.cli.schema import bring_up_to_date
from migrations import control
from registry.platform.errors import SchemaOutdated
from registry.platform.settings import Settings

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
