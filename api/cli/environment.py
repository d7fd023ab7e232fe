"""The environment of commands: the settings, the service, a runtime, and consoles for output and for errors."""

import getpass
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console

from api.cli.connection import Service
from api.cli.output import Column, print_json, print_lines, print_table, say, table
from api.client.call import Call
from api.client.clients import Client
from api.http.schemas.base import ListView
from api.text import clean
from registry.platform.errors import InvalidInput, SettingsError

if TYPE_CHECKING:
    from registry.platform.settings import Settings
    from registry.runtime import Runtime

DEFAULT_CORPUS = "default"
# Where the operating system does not know the user.
UNKNOWN_USER = "command line"
Input = TypeVar("Input", bound=BaseModel)
Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item", bound=BaseModel)
Listed = TypeVar("Listed")


def load_settings() -> "Settings":
    """The settings in the environment; raises `SettingsError` naming every variable that is wrong."""
    from registry.platform.settings import Settings  # noqa: PLC0415  (a client of a service elsewhere does without)

    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError(f"A setting is not valid: {validation_message(error, prefix='CREDENCE_')}") from error


def open_runtime(settings: "Settings") -> "AbstractAsyncContextManager[Runtime]":
    """The runtime that commands read and embed with."""
    from migrations.control import check_schema  # noqa: PLC0415
    from registry import runtime  # noqa: PLC0415

    return runtime.open_runtime(settings, check_schema=check_schema)


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of one command; tests hand in their own."""

    load_settings: "Callable[[], Settings]" = load_settings
    open_runtime: "Callable[[Settings], AbstractAsyncContextManager[Runtime]]" = open_runtime
    out: Console = field(default_factory=lambda: Console(highlight=False))
    err: Console = field(default_factory=lambda: Console(highlight=False, stderr=True))
    corpus: str = DEFAULT_CORPUS
    as_json: bool = False
    url: str | None = None
    """Address of the service; None: this process is the service."""
    key: str | None = None

    def print_result(self, view: BaseModel, line: str) -> None:
        """Print the result of a command: as JSON if that was asked for, otherwise `line`."""
        if self.as_json:
            print_json(view)
        else:
            say(self.out, line)

    def print_secret(self, made: BaseModel, secret: str, what: str) -> None:
        """Print what was made with its secret, which nobody is shown again."""
        if not self.as_json:
            self.print_note(f"{what} It is shown only now:")
        self.print_result(made, secret)

    def show(self, view: Item, print_for_person: Callable[[Console, Item], None]) -> None:
        """Print what a command found, as JSON if that was asked for."""
        if self.as_json:
            print_json(view)
        else:
            print_for_person(self.out, view)

    def show_list(
        self,
        items: Sequence[Item],
        columns: Mapping[str, Column[Item]],
        *,
        if_empty: str,
        fixed: Collection[str] = (),
    ) -> None:
        """Print a list: as NDJSON if that was asked for, otherwise as a table, or `if_empty` where there is nothing."""
        if self.as_json:
            print_lines(items)
        else:
            print_table(self.out, table(items, columns, fixed=fixed), if_empty=if_empty)

    def print_note(self, line: str) -> None:
        say(self.err, line)

    def local_settings(self) -> "Settings":
        """The settings, for a command that works on this machine; raises `InvalidInput` where it is told another."""
        if self.url is not None:
            raise InvalidInput(
                f"This works on the machine of the service only, and so not on {self.url}: leave out --url, or unset "
                "CREDENCE_URL."
            )
        return self.load_settings()

    @contextmanager
    def service(self) -> Iterator[Service]:
        """The service: that at the address, or this process while the block lasts."""
        if self.url is not None:
            with Client(self.url, self.key) as client:
                yield Service(client, self.corpus, self.url)
            return
        from api.cli import in_process  # noqa: PLC0415  (imports the service)

        here = in_process.opened(self.load_settings(), self.open_runtime, self.print_note, user_name())
        with here as (client, worker):
            yield Service(client, self.corpus, worker=worker)

    def send(self, call: Call[Model]) -> Model:
        """The response to a command's only call."""
        with self.service() as service:
            return service.send(call)

    def newest(self, call: Call[ListView[Listed]], limit: int = 0) -> list[Listed]:
        """The last items of the only list of a command; 0 is all of them."""
        with self.service() as service:
            return service.newest(call, limit)

    def on(
        self,
        find: Callable[[Service, str], Item],
        reference: str,
        call: Callable[[Item], Call[Model]],
        sure: Callable[[Item], str] | None = None,
    ) -> tuple[Item, Model]:
        """What the reference finds, and the response to the call on it; a person is asked `sure` before."""
        with self.service() as service:
            found = find(service, reference)
            if sure is not None:
                typer.confirm(clean(sure(found)), abort=True, err=True)
            return found, service.send(call(found))

    def announce(self, text: str, runtime: "Runtime") -> None:
        """Say that a process has begun its work, and whether it can read."""
        say(self.err, text, style="bold")
        if runtime.reader is None:
            self.print_note("No reader is configured: set CREDENCE_READER to estimate and answer.")


def parse_input(model: type[Input], **fields: object) -> Input:
    """Validate the user's input as `model`, as HTTP does; fields that are None were left out.

    Raises `InvalidInput` naming every field that is wrong.
    """
    try:
        return model.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        raise InvalidInput(f"Not valid: {validation_message(error)}") from error


def validation_message(error: ValidationError, *, prefix: str = "") -> str:
    """The message of a pydantic error on one line, without the input, which may be a secret."""
    messages = []
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(map(str, detail["loc"]))
        message = detail["msg"].removeprefix("Value error, ")
        messages.append(f"{prefix + name.upper() if prefix else name}: {message}" if name else message)
    return "; ".join(messages)


def user_name() -> str:
    """The name of the user who is logged in, stored with overrides, ratings and verdicts."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return UNKNOWN_USER
