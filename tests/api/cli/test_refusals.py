"""What cannot be done is said in one line, by every command."""

from tests.api.cli.conftest import Credence
from tests.tables import for_each


@for_each(
    ("args", "why"),
    [
        (("corpora", "add", "Capital"), "name: String should match pattern"),
        (("corpora", "add", "default"), "already is a corpus named 'default'"),
        (("corpora", "delete", "default", "--yes"), "The default corpus always exists"),
        (("corpora", "show", "nowhere"), "There is no corpus 'nowhere'"),
        (("schedules", "add", "x", "every day"), "cron: not a cron expression"),
        (("schedules", "add", "x", "0 3 * * *", "--timezone", "Mars/Olympus"), "timezone: unknown time zone"),
        (("schedules", "remove", "x"), "There is no schedule 'x'"),
        (("sources", "show", "nobody"), "There is no source 'nobody'"),
        (("sources", "add", "x", "--name", " "), "name: must not be blank"),
        (("sources", "--corpus", "nowhere"), "There is no corpus 'nowhere'"),
        (("sources", "list", "-c", "nowhere"), "There is no corpus 'nowhere'"),
        (("conflict", " "), "response: must not be blank"),
        (("conflict", "x", "-c", "nowhere"), "There is no corpus"),
        (("conflict", "x", "--regenerate"), "CREDENCE_CHAT_MODEL"),
        (("conflict", "x", "--judge", "language_model"), "CREDENCE_CHAT_MODEL"),
        (("ask", " "), "question: must not be blank"),
        (("ask", "Who built the mill?", "-c", "nowhere"), "There is no corpus"),
        (("answers", "show", "01a1fca6-9572-7698-8554-c86701d1ed7a"), "There is no answer"),
        (("ask", "Who built the mill?"), "no active sources"),
        (("webhooks", "add", "http://127.0.0.1/"), "not a public address"),
        (("corpora", "show", ""), "GET /v1/corpora/ is not valid"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(credence: Credence, args: tuple[str, ...], why: str) -> None:
    said = credence.refused(*args)
    assert why in said
    assert said.count("\n") == 1
