"""The links and follow-ups of `credence answers`."""

from tests.api.cli.conftest import Credence
from tests.registry.world import TOWERS, honest, question


def test_an_answer_is_followed_up_and_shared(credence: Credence) -> None:
    credence.estimated({"one": honest(), "two": honest()})
    first = credence.done("ask", question(TOWERS[0]), "--json").document
    followed = credence.done("ask", f"And {TOWERS[1]}?", "--follows", first["id"])
    assert f"Understood as: {question(TOWERS[1])}" in followed.out
    share = credence.done("answers", "share", first["id"], "--days", "7", "--json").document
    assert share["path"].startswith("/shared/")
    assert share["id"] in credence.done("answers", "shares").out
    credence.done("answers", "revoke", share["id"])
    assert "No answer is shared" in credence.done("answers", "shares").out
