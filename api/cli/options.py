"""The registration of functions as commands, and the options that many commands share."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from pydantic import Field

from answering.parameters import Parameters
from api.cli.environment import DEFAULT_CORPUS, Environment
from api.text import clean

Function: TypeAlias = Callable[..., None]

CorpusOption = Annotated[
    str, typer.Option("--corpus", "-c", help="The corpus to work in.", envvar="CREDENCE_CORPUS", metavar="NAME")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=0, help="Show the newest N only; 0 shows all.", metavar="N")
]
WaitOption = Annotated[bool, typer.Option("--wait/--detach", help="Wait for the result, or leave it to a worker.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="The source's external id, id or name.")]


class Engine(StrEnum):
    """The engine that adds up files of votes."""

    LOCAL = "local"
    RAY = "ray"


class VoteFiles(Parameters):
    """Files of votes, how they are added up, and where the sources and the answers are written."""

    votes: tuple[str, ...] = ()
    """Estimate by these Parquet files of votes (columns query, source, answer), or those in a folder, instead of a
    corpus."""
    engine: Engine = Engine.LOCAL
    """Where files of votes are added up: in this process, or by Ray workers."""
    workers: Annotated[int, Field(ge=1)] = 2
    """Number of Ray workers, one core each."""
    memory: Annotated[float, Field(ge=0)] = 4.0
    """GiB of memory for votes; the rest is read again in each round."""
    output: Path | None = None
    """Write all sources of files of votes into *.parquet."""
    answers: Path | None = None
    """Write the answers to the queries of files of votes, with their probabilities, into *.parquet."""


APPS: dict[str, typer.Typer] = {}
"""The commands of `credence`, and those below each of them, as far as their modules are imported."""


def _app(group: str) -> typer.Typer:
    return APPS.setdefault(group, typer.Typer(add_completion=False, no_args_is_help=True))


def command(
    group: str,
    name: str | None = None,
    *,
    corpus: bool = True,
    json: bool = True,
    **settings: Any,  # noqa: ANN401  (typer's)
) -> Callable[[Function], Function]:
    """Registers a function as a command of `credence GROUP`; its first argument `env` is the `Environment`.

    The command has the options --corpus and --json unless they are switched off; `env` knows their values.
    """

    def register(function: Function) -> Function:
        _app(group).command(name, **settings)(_with_environment(function, corpus=corpus, json=json))
        return function

    return register


def list_command(group: str, *, corpus: bool = True) -> Callable[[Function], Function]:
    """Registers a function as the command `list` of the group, and as what the group does by itself.

    Options given before a subcommand become that subcommand's defaults.
    """

    def register(function: Function) -> Function:
        listing = _with_environment(function, corpus=corpus, json=True)

        @wraps(listing)
        def alone(ctx: typer.Context, **options: Any) -> None:  # noqa: ANN401  (values of options)
            if ctx.invoked_subcommand is None:
                listing(ctx, **options)
            else:
                ctx.default_map = {ctx.invoked_subcommand: options}

        _app(group).callback(invoke_without_command=True, no_args_is_help=False)(alone)
        _app(group).command("list")(listing)
        return function

    return register


def _with_environment(function: Function, *, corpus: bool, json: bool) -> Function:
    """The function as typer calls it: with the context instead of `env`, and with the options --corpus and --json."""

    @wraps(function)
    def run(ctx: typer.Context, **arguments: Any) -> None:  # noqa: ANN401  (values of options)
        env = ctx.ensure_object(Environment)
        bound = {name: arguments.pop(name) for name, is_ours in (("corpus", corpus), ("as_json", json)) if is_ours}
        function(env=replace(env, **bound), **arguments)

    signature = inspect.signature(function)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("ctx", kind, annotation=typer.Context), *list(signature.parameters.values())[1:]]
    if corpus:
        parameters.append(inspect.Parameter("corpus", kind, default=DEFAULT_CORPUS, annotation=CorpusOption))
    if json:
        parameters.append(inspect.Parameter("as_json", kind, default=False, annotation=JsonOption))
    set_signature(run, parameters)
    return run


def set_signature(function: Function, parameters: list[inspect.Parameter]) -> None:
    """Give a function the parameters from which typer makes its arguments and options."""
    # It calls by name; of parameters without a name in front, one without a default may not follow one with a default.
    named = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    function.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]  # read by inspect
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something that cannot be undone; ends the command unless the answer is yes."""
    if not yes:
        typer.confirm(clean(question), abort=True, err=True)
