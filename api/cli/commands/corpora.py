"""`credence corpora`: the namespaces of sources."""

from typing import Annotated

import typer

from api.cli.environment import Environment, parse_input
from api.cli.options import YesOption, command, confirm, list_command
from api.cli.output import cell, moment, table
from api.cli.parameter_options import parameter_options
from api.client.nouns import corpora
from api.http.schemas.corpora import CorpusView
from api.text import clean
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.keys.schemas import QuotaInput
from registry.platform.enums import AnswerPolicy

app = typer.Typer(add_completion=False)

AnswersOption = Annotated[
    AnswerPolicy | None,
    typer.Option(help="Whether one imported answer to a query is right, several may be, or they are numbers."),
]
NameArgument = Annotated[str, typer.Argument(metavar="CORPUS", help="The corpus's name.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is about.")]


@list_command(app, corpus=False)
def list_corpora(env: Environment) -> None:
    """Show all corpora."""
    with env.service() as service:
        listed = service.newest(corpora.list_corpora())
    rows = table("name", "description", "text search", "created", fixed=("created",))
    for corpus in listed:
        rows.add_row(cell(corpus.name), cell(corpus.description), cell(corpus.text_search), moment(corpus.created_at))
    env.show_list(listed, rows, if_empty="There are no corpora.")


@command(app, corpus=False)
def add(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Unique name.")],
    description: DescriptionOption = None,
    text_search: Annotated[
        str | None, typer.Option(help="Text search configuration of PostgreSQL.", show_default="english")
    ] = None,
    answers: AnswersOption = None,
) -> None:
    """Add a corpus."""
    values = parse_input(CorpusInput, name=name, description=description, text_search=text_search, answers=answers)
    _print(env, env.send(corpora.create_corpus(values)), "Added")


@command(app, corpus=False)
def show(env: Environment, name: NameArgument) -> None:
    """Show one corpus."""
    _print(env, env.send(corpora.get_corpus(corpus=name)), "")


@command(app, corpus=False)
@parameter_options(QuotaInput)
def update(  # noqa: PLR0913, PLR0917 - each is an option
    env: Environment,
    name: NameArgument,
    parameters: QuotaInput,
    description: DescriptionOption = None,
    use_gold: Annotated[
        bool | None,
        typer.Option("--use-gold/--no-use-gold", help="Whether estimations judge votes by gold answers."),
    ] = None,
    generate_queries: Annotated[
        bool | None,
        typer.Option(
            "--generate-queries/--no-generate-queries",
            help="Whether the service writes the first queries from the documents and estimates.",
        ),
    ] = None,
    answers: AnswersOption = None,
    asked_queries: Annotated[
        int | None, typer.Option(min=0, help="Most asked questions that become queries; 0: none.")
    ] = None,
    rename: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    unlimited: Annotated[bool, typer.Option(help="Remove the quotas that are not given.")] = False,
) -> None:
    """Change a corpus, its name or its quotas."""
    quotas = parameters.model_dump(exclude_unset=not unlimited)
    patch = parse_input(
        CorpusPatch,
        name=rename,
        description=description,
        use_gold=use_gold,
        generate_queries=generate_queries,
        answers=answers,
        asked_queries=asked_queries,
    ).model_copy(update=quotas)

    _print(env, env.send(corpora.update_corpus(patch, corpus=name)), "Changed")


@command(app, corpus=False, json=False)
def delete(env: Environment, name: NameArgument, yes: YesOption = False) -> None:
    """Delete a corpus and everything in it."""
    confirm(f"Delete the corpus {clean(name)} with its sources, documents, queries, estimations and answers?", yes=yes)

    env.send(corpora.delete_corpus(corpus=name))
    env.print_note(f"Deleted {name}.")


def _print(env: Environment, corpus: CorpusView, action: str) -> None:
    line = f"{action} {corpus.name}: {corpus.description or 'no description'} ({corpus.text_search})"
    env.print_result(corpus, line.strip())
