"""`credence people`: who may sign in, and as what."""

from typing import Annotated

import typer

from api.cli.connection import one_of
from api.cli.environment import Environment
from api.cli.options import command, list_command
from api.cli.parameter_options import parameter_options
from api.client.nouns import people
from registry.people.schemas import PersonInput, PersonPatch

PersonArgument = Annotated[str, typer.Argument(metavar="PERSON", help="The person's e-mail address or id.")]
_find = one_of(people.list_people(), "email", "id", what="person")


@list_command("people", corpus=False)
def list_people(env: Environment) -> None:
    """List who signed in with the provider of identities, and who is expected to."""
    env.show_list(
        env.newest(people.list_people()),
        {
            "person": lambda person: person.email or person.name or person.subject,
            "role": "role",
            "corpus": lambda person: person.corpus_id or "all",
            "last seen": lambda person: person.last_used_at or ("" if person.subject else "expected"),
        },
        if_empty="There are none yet: `credence people add EMAIL --role owner`.",
    )


@command("people", corpus=False)
@parameter_options(PersonInput, email="EMAIL")
def add(env: Environment, person: PersonInput) -> None:
    """Expect a person, who has this role once they sign in."""
    added = env.send(people.add_person(person))
    env.print_result(added, f"{added.email} signs in as {added.role}.")


@command("people", corpus=False)
@parameter_options(PersonPatch)
def update(env: Environment, person: PersonArgument, patch: PersonPatch) -> None:
    """Change the role of a person."""
    _, changed = env.on(_find, person, lambda found: people.update_person(found.id, patch))
    env.print_result(changed, f"{changed.email or changed.name} is {changed.role}.")


@command("people", corpus=False, json=False)
def remove(env: Environment, person: PersonArgument) -> None:
    """Remove a person and end their sessions."""
    found, _ = env.on(_find, person, lambda found: people.remove_person(found.id))
    env.print_note(f"Removed {found.email or found.name}.")
