"""The one list of benchmarks; each is described where it is defined."""

from benchmarks import (
    billion,
    classes,
    clients,
    conflict,
    connectors,
    copies,
    debate,
    drill,
    estimator,
    ingest,
    judge,
    languages,
    load,
    memory,
    multisource,
    pages,
    partitions,
    questions,
    reader,
    search,
    web,
    workers,
)

BENCHMARKS = tuple(
    member.BENCHMARK
    for member in (
        estimator,
        billion,
        copies,
        multisource,
        web,
        reader,
        judge,
        conflict,
        debate,
        classes,
        languages,
        partitions,
        ingest,
        connectors,
        clients,
        drill,
        load,
        workers,
        questions,
        search,
        memory,
        pages,
    )
)
