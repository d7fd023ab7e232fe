"""The commands of `credence sources` that change something."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.operator import operator_name
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, YesOption, confirm
from api.cli.output import clean, print_json
from api.cli.terminal import Terminal, given, terminal_of
from api.http.schemas.sources import OverrideView, SourceView
from registry.inputs.sources import OverrideInput, SourceInput, SourcePatch
from registry.models import Corpus, Override, Source, SourceStatus
from registry.store import sources

SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="The source's external id, or its id.")]
NameOption = Annotated[str | None, typer.Option(help="Name for people.")]
UrlOption = Annotated[str | None, typer.Option(help="Where it publishes.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the group."""
    for command in (add, update, pause, resume, retire, delete, override, unoverride):
        app.command()(command)


def add(
    ctx: typer.Context,
    external_id: Annotated[str, typer.Argument(help="Your own identifier, unique in the corpus.")],
    name: Annotated[str | None, typer.Option(help="Name for people.", show_default="the external id")] = None,
    url: UrlOption = None,
    description: DescriptionOption = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Register a source."""
    wanted = given(SourceInput, external_id=external_id, name=name or external_id, url=url, description=description)
    made = terminal_of(ctx).in_corpus(corpus, lambda session, owner: sources.create(session, owner, wanted))
    _print(terminal_of(ctx), made, "Added", as_json=as_json)


def update(
    ctx: typer.Context,
    source: SourceArgument,
    name: NameOption = None,
    url: UrlOption = None,
    description: DescriptionOption = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Change what is known about a source; what is left out stays."""
    patch = given(SourcePatch, name=name, url=url, description=description)
    _patch(terminal_of(ctx), corpus, source, patch, "Changed", as_json=as_json)


def pause(
    ctx: typer.Context, source: SourceArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Leave a source out of estimations and answers for the time being."""
    _patch(terminal_of(ctx), corpus, source, SourcePatch(status=SourceStatus.PAUSED), "Paused", as_json=as_json)


def resume(
    ctx: typer.Context, source: SourceArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Take a paused or retired source back in."""
    _patch(terminal_of(ctx), corpus, source, SourcePatch(status=SourceStatus.ACTIVE), "Resumed", as_json=as_json)


def retire(
    ctx: typer.Context, source: SourceArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Keep a source for the record only."""
    _patch(terminal_of(ctx), corpus, source, SourcePatch(status=SourceStatus.RETIRED), "Retired", as_json=as_json)


def delete(
    ctx: typer.Context, source: SourceArgument, yes: YesOption = False, corpus: CorpusOption = DEFAULT_CORPUS
) -> None:
    """Delete a source with its documents; refused while an estimation is under way."""
    terminal = terminal_of(ctx)
    found = terminal.in_corpus(corpus, lambda session, owner: sources.find(session, owner, source))
    confirm(f"Delete {clean(found.name)} and all its documents?", yes=yes)
    terminal.in_corpus(corpus, lambda session, owner: sources.delete(session, owner, found.id))
    terminal.err.print(Text(f"Deleted {clean(found.name)}."), soft_wrap=True)


def override(
    ctx: typer.Context,
    source: SourceArgument,
    reliability: Annotated[float, typer.Argument(min=0, max=1, help="What counts instead of the estimate.")],
    reason: Annotated[str, typer.Option(help="Why; kept with it.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Set a source's reliability by hand; no estimation overwrites it."""
    terminal = terminal_of(ctx)
    wanted = given(OverrideInput, reliability=reliability, reason=reason)

    async def work(session: AsyncSession, owner: Corpus) -> tuple[Source, Override]:
        found = await sources.find(session, owner, source)
        return found, await sources.set_override(session, owner, found.id, wanted, operator_name())

    found, made = terminal.in_corpus(corpus, work)
    if as_json:
        print_json(OverrideView.model_validate(made))
    else:
        terminal.out.print(Text(clean(f"{found.name} counts {made.reliability:.2f} from now on.")), soft_wrap=True)


def unoverride(ctx: typer.Context, source: SourceArgument, corpus: CorpusOption = DEFAULT_CORPUS) -> None:
    """Let the estimate count again."""
    terminal = terminal_of(ctx)

    async def work(session: AsyncSession, owner: Corpus) -> Source:
        found = await sources.find(session, owner, source)
        await sources.delete_override(session, owner, found.id)
        return found

    found = terminal.in_corpus(corpus, work)
    terminal.err.print(Text(clean(f"The estimate of {found.name} counts again.")), soft_wrap=True)


def _patch(terminal: Terminal, corpus: str, ref: str, patch: SourcePatch, done: str, *, as_json: bool) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Source:
        found = await sources.find(session, owner, ref)
        return await sources.update(session, owner, found.id, patch)

    _print(terminal, terminal.in_corpus(corpus, work), done, as_json=as_json)


def _print(terminal: Terminal, source: Source, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(SourceView.model_validate(source))
    else:
        terminal.out.print(Text(clean(f"{done} {source.name} ({source.external_id}), {source.id}.")), soft_wrap=True)
