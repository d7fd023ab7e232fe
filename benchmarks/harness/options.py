"""The command line of a benchmark."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"
"""Where `--save` puts the JSON object of a benchmark unless a file is named."""

AddOptions = Callable[[argparse.ArgumentParser], object]
# What is saved with a result must not depend on the folders of one machine.
_LOCAL = ("--save", "--data", "--json")


@dataclass(frozen=True, slots=True)
class Options:
    """The options that all benchmarks share."""

    quick: bool = False
    json: bool = False
    save: Path | None = None
    seeds: int = 20
    data: Path = Path("../shared/data")
    command: str = ""
    """The command line, without options that name local files."""
    extra: argparse.Namespace = field(default_factory=argparse.Namespace)
    """The options of one benchmark."""


def parse(program: str, arguments: Sequence[str] | None = None, add_options: AddOptions | None = None) -> Options:
    """Parse a command line, that of the process where `arguments` is None. Raises `SystemExit` if it is invalid."""
    defaults = Options()
    parser = argparse.ArgumentParser(prog=program)
    if add_options is not None:
        add_options(parser)
    own = {action.dest for action in parser._actions}  # noqa: SLF001  (argparse offers no list of its options)
    parser.add_argument("--quick", action="store_true", help="the small form, under 50 seconds")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        nargs="?",
        const=RESULTS,
        help="write the JSON object into FILE (benchmarks/results/NAME.json if none is named)",
    )
    parser.add_argument("--seeds", type=count, default=defaults.seeds, help="random repetitions (default 20)")
    parser.add_argument("--data", type=Path, default=defaults.data, help="folder of the public data sets")
    parsed = vars(parser.parse_args(arguments))
    extra = argparse.Namespace(**{name: parsed.pop(name) for name in own & parsed.keys()})
    command_line = sys.argv[1:] if arguments is None else arguments
    return Options(**parsed, command=" ".join([program, *_portable(command_line)]), extra=extra)


def _portable(arguments: Sequence[str]) -> list[str]:
    """The arguments without those that hold only on this machine; other paths and addresses become dots."""
    kept: list[str] = []
    local = False
    for argument in arguments:
        name = argument.partition("=")[0]
        if argument.startswith("--"):
            local = name in _LOCAL
        if not local:
            kept.append(argument if "/" not in argument else "...")
    return kept


def count(text: str) -> int:
    """An option that is 1 or more. Raises `argparse.ArgumentTypeError`."""
    if not text.isdecimal() or int(text) == 0:
        message = f"{text!r} is not a count; give 1 or more"
        raise argparse.ArgumentTypeError(message)
    return int(text)
