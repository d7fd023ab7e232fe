"""Options made from a model of parameters, so that a new parameter, strategy or method is an option by itself."""

import inspect
import json
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from functools import partial, wraps
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import annotated_types
import typer
from pydantic import AwareDatetime, BaseModel
from pydantic.fields import FieldInfo
from typer.core import TyperCommand

from api.cli.environment import parse_input
from api.cli.options import Function, set_signature
from registry.platform.errors import InvalidInput

# Columns before a description, less the space around it.
HELP_INDENT = 4
LISTS = {tuple, list, frozenset}
_SET = inspect.Parameter(
    "settings_of_strategy",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A choice of the strategy, e.g. rounds=2; repeat for more."),
    ],
)


class LongHelp(TyperCommand):
    """A command whose options have long descriptions: in its help they stand on the lines below the options."""

    def __init__(self, *args: Any, **settings: Any) -> None:  # noqa: ANN401  (typer's)
        super().__init__(*args, **settings | {"rich_markup_mode": None})

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401  (typer's private types)
        formatter.write_dl = partial(formatter.write_dl, col_max=HELP_INDENT)
        super().format_options(ctx, formatter)


def parameter_options(
    model: type[BaseModel], *, left_out: Collection[str] = (), **declarations: str
) -> Callable[[Function], Function]:
    """Replaces the argument of a command that is a `model` by one option for each field.

    An option that is left out takes the field's default. Fields that are models themselves hold the parameters of one
    strategy each: those of the chosen strategy are given as `--set NAME=VALUE`. `declarations` names options otherwise
    than after their fields, or makes an argument of what is no option; those `left_out` have none.
    """
    types = {name: _innermost(field.annotation) for name, field in model.model_fields.items() if name not in left_out}
    plain = [name for name, annotation in types.items() if not _is_nested(annotation)]
    options = [_option(name, model.model_fields[name], declarations.get(name)) for name in plain]
    if any(_is_nested(annotation) and annotation is not dict for annotation in types.values()):
        options.append(_SET)

    def decorate(command: Function) -> Function:
        signature = inspect.signature(command).parameters
        replaced_name = next(name for name, parameter in signature.items() if parameter.annotation is model)

        @wraps(command)
        def with_parameters(**arguments: Any) -> None:  # noqa: ANN401  (values of options)
            values = {name: value for name in plain if (value := arguments.pop(name)) != []}
            nested = _of_strategy(values.get("strategy"), arguments.pop(_SET.name, None) or [])
            command(**arguments, **{replaced_name: parse_input(model, **values, **nested)})

        replaced: list[inspect.Parameter] = []
        for name, parameter in signature.items():
            replaced += options if name == replaced_name else [parameter]
        set_signature(with_parameters, replaced)
        return with_parameters

    return decorate


def _option(name: str, field: FieldInfo, declaration: str | None) -> inspect.Parameter:
    annotation = _of_option(_innermost(field.annotation))
    is_bool = annotation is bool
    settings = {"help": _help(field.description or ""), **_bounds(field)}
    if declaration is not None and not declaration.startswith("-"):
        made: object = typer.Argument(metavar=declaration, **settings)
    else:
        plain = name.replace("_", "-")
        declarations = (declaration or f"--{plain}{f'/--no-{plain}' if is_bool else ''}").split()
        has_default = isinstance(field.default, str | int | float) and not is_bool
        made = typer.Option(*declarations, show_default=str(field.default) if has_default else False, **settings)
    kind = inspect.Parameter.KEYWORD_ONLY
    if field.is_required():
        return inspect.Parameter(name, kind, annotation=Annotated[annotation, made])
    return inspect.Parameter(name, kind, default=None, annotation=Annotated[annotation | None, made])


def _of_option(annotation: Any) -> Any:  # noqa: ANN401  (annotations have no common type)
    """The type of the option of a field: you give several values by repeating it, and the model parses times."""
    if get_origin(annotation) in LISTS:
        inner = _innermost(get_args(annotation)[0])
        return list[inner if isinstance(inner, type) and issubclass(inner, Enum) else str]  # type: ignore[misc]
    return str if annotation is AwareDatetime else annotation


def _help(description: str) -> str:
    """The description of a field of JSON, where `null` is what an option left out is here."""
    return " ".join(description.replace("; null: ", "; left out: ").replace("; null ", "; left out, it ").split())


def _innermost(annotation: Any) -> Any:  # noqa: ANN401  (annotations have no common type)
    """The type within `Annotated` and `Optional`."""
    if get_origin(annotation) is Annotated:
        return _innermost(get_args(annotation)[0])
    if get_origin(annotation) is dict:
        return dict
    if get_origin(annotation) in {Union, UnionType}:
        members = [member for member in get_args(annotation) if member is not NoneType]
        return _innermost(members[0]) if len(members) == 1 else annotation
    return annotation


def _is_nested(annotation: object) -> bool:
    """Whether a field is a model or an object of JSON, of which no option can be made."""
    return isinstance(annotation, type) and issubclass(annotation, BaseModel | dict)


def _bounds(field: FieldInfo) -> dict[str, Any]:
    """The least and the greatest value of a number as typer names them; open bounds are left to the model."""
    bounds: dict[str, Any] = {}
    for constraint in _constraints(field):
        if isinstance(constraint, annotated_types.Ge):
            bounds["min"] = constraint.ge
        elif isinstance(constraint, annotated_types.Le):
            bounds["max"] = constraint.le
    return bounds


def _constraints(field: FieldInfo) -> list[object]:
    """The metadata of a field, also of `Annotated[...] | None`, where pydantic leaves them in the annotation."""
    constraints: list[object] = list(field.metadata)
    for member in get_args(field.annotation):
        for metadata in getattr(member, "__metadata__", ()):
            constraints += metadata.metadata if isinstance(metadata, FieldInfo) else [metadata]
    return constraints


def _of_strategy(strategy: str | None, settings: Sequence[str]) -> dict[str, dict[str, Any]]:
    if not settings:
        return {}
    if strategy is None:
        raise InvalidInput("--set chooses something about a strategy; name one with --strategy.")
    return {str(strategy): dict(map(name_and_value, settings))}


def name_and_value(setting: str) -> tuple[str, Any]:
    """The two parts of NAME=VALUE, the value as JSON where it is some: a number, a truth value, or else a word."""
    name, equals, value = setting.partition("=")
    if not equals or not name.strip():
        raise InvalidInput(f"--set takes NAME=VALUE, not {setting[:100]!r}.")
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value.strip()
