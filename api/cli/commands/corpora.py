"""`credence corpora`: the namespaces of sources."""

from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.options import YesOption, command, confirm, list_command
from api.cli.parameter_options import parameter_options
from api.client.nouns import corpora
from api.http.schemas.corpora import CorpusView
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.keys.schemas import QuotaInput

NameArgument = Annotated[str, typer.Argument(metavar="CORPUS", help="The corpus's name.")]


@list_command("corpora", corpus=False)
def list_corpora(env: Environment) -> None:
    """Show all corpora."""
    env.show_list(
        env.newest(corpora.list_corpora()),
        {"name": "name", "description": "description", "text search": "text_search", "created": "created_at"},
        if_empty="There are no corpora.",
    )


@command("corpora", corpus=False)
@parameter_options(CorpusInput, name="NAME")
def add(env: Environment, corpus: CorpusInput) -> None:
    """Add a corpus."""
    _print(env, env.send(corpora.create_corpus(corpus)), "Added")


@command("corpora", corpus=False)
def show(env: Environment, name: NameArgument) -> None:
    """Show one corpus."""
    _print(env, env.send(corpora.get_corpus(corpus=name)), "")


@command("corpora", corpus=False)
@parameter_options(CorpusPatch, left_out=("name",))
def update(
    env: Environment,
    name: NameArgument,
    patch: CorpusPatch,
    rename: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    unlimited: Annotated[bool, typer.Option(help="Remove the quotas that are not given.")] = False,
) -> None:
    """Change a corpus, its name or its quotas."""
    changes: dict[str, object] = {} if rename is None else {"name": rename}
    if unlimited:
        changes |= dict.fromkeys(QuotaInput.model_fields.keys() - patch.model_fields_set)
    _print(env, env.send(corpora.update_corpus(patch.model_copy(update=changes), corpus=name)), "Changed")


@command("corpora", corpus=False, json=False)
def delete(env: Environment, name: NameArgument, yes: YesOption = False) -> None:
    """Delete a corpus and everything in it."""
    confirm(f"Delete the corpus {name} with its sources, documents, queries, estimations and answers?", yes=yes)
    env.send(corpora.delete_corpus(corpus=name))
    env.print_note(f"Deleted {name}.")


def _print(env: Environment, corpus: CorpusView, action: str) -> None:
    line = f"{action} {corpus.name}: {corpus.description or 'no description'} ({corpus.text_search})"
    env.print_result(corpus, line.strip())
