"""Estimates by files of votes, for `credence estimate`."""

import glob
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from api.cli.environment import Environment
from api.cli.output import print_json
from api.cli.reports.vote_files import (
    SOURCE_SUFFIXES,
    print_sources,
    require_target,
    source_rows,
    summary,
    vote_file_progress,
    write_sources,
)
from estimator.distributed import MakeWorkers, estimate_files
from estimator.distributed.ray_workers import RayWorkers
from estimator.methods import Options
from registry.estimations.schemas import FILE_PARAMETERS, EstimationParameters
from registry.platform.errors import InvalidInput

__all__ = ["FileOptions", "RayWorkers", "estimate"]


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options for files of votes: how they are added up, and where the sources and the answers are written."""

    workers: MakeWorkers | None
    memory: int
    output: Path | None
    answers: Path | None


def estimate(env: Environment, patterns: list[str], parameters: EstimationParameters, choice: FileOptions) -> None:
    """Estimate by the files, and write and print what comes of it. Raises InvalidInput for options of corpora."""
    paths = [path for pattern in patterns for path in _vote_files(pattern)]
    defaults = EstimationParameters(paper=parameters.paper).model_dump()
    unknown = {name for name, value in parameters.model_dump().items() if value != defaults[name]} - FILE_PARAMETERS
    if unknown:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(unknown))
        raise InvalidInput(f"Estimates by files of votes look at nothing but votes: leave out {options}.")
    for path, suffixes in ((choice.output, SOURCE_SUFFIXES), (choice.answers, (".parquet",))):
        if path is not None:
            require_target(path, suffixes, paths)
    with vote_file_progress(env.err, len(paths)) as progress:
        result = estimate_files(
            paths,
            parameters.method.value,
            workers=choice.workers,
            memory=choice.memory,
            options=Options(
                labels=parameters.label_count,
                ties=parameters.ties,
                negative_weights=parameters.negative_weights,
                max_rounds=parameters.max_rounds,
            ),
            progress=progress,
            answers=None if choice.answers is None else str(choice.answers),
        )
    if choice.output is not None:
        write_sources(result, choice.output)
    if env.as_json:
        print_json(summary(result) | {"sources": source_rows(result)})
    else:
        print_sources(env.out, result)
        if choice.answers is not None:
            env.out.print(Text(f"The answers are in {choice.answers}."), soft_wrap=True)


def _vote_files(pattern: str) -> list[str]:
    """The files that a path, a folder or a pattern stands for. Raises InvalidInput where there is none."""
    if "://" in pattern or Path(pattern).is_file():
        return [pattern]
    every = str(Path(glob.escape(pattern), "*.parquet")) if Path(pattern).is_dir() else pattern
    found = sorted(glob.glob(every, recursive=True))  # noqa: PTH207 - the pattern may be absolute
    if not found:
        raise InvalidInput(f"There is no file {every}.")
    return found
