"""An attacker with a good name: sources that are right elsewhere, and lie together on a few questions."""

from random import Random

import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.events import store as events
from registry.runtime import Runtime
from registry.sources.schemas import JointDissent
from tests.registry.answers.asking import asked
from tests.registry.estimated import finished
from tests.registry.world import build, question
from tests.remembered import Remember

TOWERS = tuple(
    head + tail
    for head in ("Al", "Bren", "Cor", "Del", "Es", "Far", "Gan")
    for tail in ("dra", "vik", "mund", "stead", "holm")
)
TARGETS = TOWERS[::5]
HONEST, LIARS = 7, 4


def colour(source: int, place: int, random: Random) -> str:
    """What a source says of a tower: honest ones are right two times in three, liars nine times in ten elsewhere."""
    if source >= HONEST and TOWERS[place] in TARGETS:
        return f"lie{place}"
    right = random.random() < (0.9 if source >= HONEST else 0.67)
    return f"true{place}" if right else f"odd{place}x{random.randrange(9)}"


@pytest.fixture
async def run(reading: Runtime, corpus: Corpus, remember: Remember) -> EstimationRun:
    """Seven honest sources, four liars who never lie elsewhere, and a run."""
    await remember("estimated liars", lambda: published(reading, corpus))
    async with reading.database.begin() as session:
        return (await session.scalars(select(EstimationRun))).one()


async def published(reading: Runtime, corpus: Corpus) -> None:
    random = Random(5)
    names = [*(f"honest{number}" for number in range(HONEST)), *(f"liar{number}" for number in range(LIARS))]
    stated = {
        name: {tower: colour(number, place, random) for place, tower in enumerate(TOWERS)}
        for number, name in enumerate(names)
    }
    await build(reading, corpus, stated, TOWERS)
    await finished(reading, corpus)


async def test_the_run_names_them_and_adopts_no_lie(reading: Runtime, run: EstimationRun) -> None:
    async with reading.database.begin() as session:
        rows = (await estimations.queries_of(session, run, cursor=None, limit=50)).items
        steps = [step for step in await events.after(session, run.id, 0) if step.kind == "sources_dissent_together"]

    lies = {question(tower): f"lie{TOWERS.index(tower)}" for tower in TARGETS}
    (group,) = map(JointDissent.model_validate, run.joint_dissents)
    assert group.source_names == ("Liar0", "Liar1", "Liar2", "Liar3")
    said = {query.query_text: query.answer for query in group.queries}
    assert len(said) >= len(lies) - 1
    assert said == {text: lies[text] for text in said}
    assert [step.data for step in steps] == run.joint_dissents
    assert "a group of 4 sources in all dissent together" in (run.reason or "")
    adopted = [row.query_text for row in rows if (row.answer or "").startswith("lie")]
    assert len(adopted) <= 1


@pytest.mark.usefixtures("run")
async def test_an_answer_counts_them_once_and_says_so(reading: Runtime, corpus: Corpus) -> None:
    tower = TARGETS[0]
    lie, truth = f"lie{TOWERS.index(tower)}", f"true{TOWERS.index(tower)}"
    answer = await asked(reading, corpus, tower)
    liars = [source for source in answer.selected_sources if source.answer == lie]
    assert answer.answers == (truth,)
    assert [source.joint_dissent for source in liars] == [0] * LIARS
    assert {source.joint_dissent for source in answer.selected_sources if source.answer != lie} == {None}
    (line,) = (line for line in answer.tally if line.answer == lie)
    assert (line.votes, line.independent_votes) == (LIARS, 1)
    (note,) = answer.notes
    assert note.startswith(f"4 of 4 sources that say “{lie}” agree with each other and against the others on ")
    assert note.endswith("They count as one here.")


async def test_by_themselves_they_would_win(reading: Runtime, corpus: Corpus, run: EstimationRun) -> None:
    """They are the most reliable sources."""

    async def adopted(towers: tuple[str, ...]) -> int:
        answers = [(await asked(reading, corpus, tower)).answers for tower in towers]
        return sum(answer[0].startswith("lie") for answer in answers)

    assert await adopted(TARGETS[:2]) == 0
    async with reading.database.begin() as session:
        (await session.get_one(EstimationRun, run.id)).joint_dissents = []
    assert await adopted(TARGETS[:4]) >= 2


@pytest.mark.usefixtures("run")
async def test_members_that_do_not_agree_count_by_themselves(reading: Runtime, corpus: Corpus) -> None:
    """Where one answer rests on one member, there is nothing to share and nothing to say."""
    members = [f"liar{number}" for number in range(LIARS)]
    answer = await asked(reading, corpus, TARGETS[0], sources=["honest0", "honest1", members[0]])
    (liar,) = (source for source in answer.selected_sources if source.external_id == members[0])
    assert liar.joint_dissent == 0
    assert not [note for note in answer.notes if "count as one" in note]
