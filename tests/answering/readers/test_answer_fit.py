"""Spans that cannot be the kind of answer that a question asks for."""

from answering.questions.answer_type import expected_answer_type
from answering.readers.answer_fit import fits
from tests.tables import for_each


def _fits(question: str, passage: str, answer: str) -> bool:
    start = passage.index(answer)
    return fits(expected_answer_type(question), question, passage, start, start + len(answer))


@for_each(
    ("question", "passage", "answer"),
    [
        ("How many boats sank?", "Some 1,000 boats sank.", "1,000"),
        ("How many boats sank?", "A dozen boats sank.", "A dozen"),
        ("How often do they meet?", "They meet weekly.", "weekly"),
        ("How long was the hall closed?", "It was closed for decades.", "decades"),
        ("How much did the wreck cost?", "It cost $12.2 billion.", "$12.2"),
        ("When does the heather bloom?", "It blooms after the rains.", "the rains"),
        ("In which century was it built?", "Built in the twelfth.", "twelfth"),
        ("Who built it?", "It was built by engineers.", "engineers"),
        ("Which country won the cup?", "NORWAY won the cup.", "NORWAY"),
        ("Which country won the cup?", "norway won the cup.", "norway"),
        ("Is it red or blue?", "It is blue.", "blue"),
        ("How many people live in Lyng?", "Lyng has a population of 4,000.", "4,000"),
        ("Which is older, Lyng or Brin?", "The older one is Brin.", "Brin"),
        ("How many people died?", "There were no fatalities.", "no fatalities"),
        ("How do you cool a burn?", "Do it with cold water, never with butter.", "with cold water"),
        ("How should a burn not be cooled?", "Never cool it with butter.", "with butter"),
        ("What is the capital of Lyng?", "Lyng has its court in Lyng.", "Lyng"),
        ("What is the GDP of Lyng?", "GDP (nominal) of Lyng: $76", "$76"),
        ("Which continent has Lyng?", "The South American town of Lyng.", "South American"),
        ("What is the capital of Lyng?", "The capital of Lyng is Brin.", "Brin"),
        ("What is the population of Lyng?", "Population: 4,000", "4,000"),
        ("Who is Ada Dahl?", "The painter Ada Dahl is from Lyng.", "The painter"),
        ("What is the largest town of Lyng?", "The capital of Lyng is Brin, its largest town.", "Brin"),
        ("How many people are Irish?", "The Irish are 8% of all.", "8%"),
        ("What is the calling code of Lyng?", "Lyng (LYN) has the phone code +213.", "+213"),
        ("Which town has the most dear zip code?", "The dearest zip code is in Brin.", "Brin"),
    ],
)
def test_what_may_answer_fits(question: str, passage: str, answer: str) -> None:
    assert _fits(question, passage, answer)


@for_each(
    ("question", "passage", "answer"),
    [
        ("How many boats sank?", "It was the third storm.", "third"),
        ("How much did the wreck cost?", "It brought no synergy.", "no synergy"),
        ("What is the largest town of Lyng?", "The capital of Lyng is Brin.", "Brin"),
        ("Where is Lyng?", "The capital of Lyng is Lyng la Varn.", "la Varn"),
        ("What is the population of Lyng?", "It is spoken by 20% of the population of Lyng.", "20"),
        ("What is eczema?", "Home flu shotPandemic stress Eczema: tips", "flu shotPandemic stress"),
        ("Who will succeed Ada Dahl?", "Dame Ada Dahl leaves.", "Dame Ada Dahl"),
        ("How do you cool a burn?", "Cool it. Never cool it with butter.", "with butter"),
        ("How do you cool a burn?", "At home you should not cool it with butter.", "with butter"),
        ("How do you cool a burn?", "Don\u2019t cool it with butter.", "Don\u2019t cool it with butter"),
        ("How many boats sank?", "They sank in 1874 off Lyng.", "1874"),
        ("How much did the wreck cost?", "It brought no synergy to a future generation.", "future generation"),
        ("When did the mill close?", "It harmed a future generation.", "future generation"),
        ("In which year did it close?", "It closed, says Ida.", "Ida"),
        ("Who built it?", "It was built in 1874.", "1874"),
        ("Which city lay in smog?", "Smog hid the skyline of Lyng.", "the skyline"),
        ("How many towers has Lyng?", "Population of Lyng: about 4,000.", "4,000"),
        ("Which is older, Lyng or Brin?", "Lyng lies west of Skerrow.", "Skerrow"),
        ("What is the capital of Lyng?", "Brin is the capital city of Lyng. It lies in Lyng.", "Lyng"),
        ("Which boat sank at Lyng?", "The boat at Lyng was old.", "The boat at Lyng"),
        ("What is the GDP of Lyng?", "GDP (nominal) of Lyng: $76", "nominal"),
        ("What is the growth rate of Lyng?", "The growth rate of Lyng is told elsewhere.", "told elsewhere"),
        ("Which continent has Lyng?", "Lyng rose like Brin.", "Brin"),
        ("Where is Lyng?", "The capital of Lyng is Brin.", "Brin"),
        ("What is Lyng?", "Capital of Lyng: name: Brin", "Brin"),
        ("Where is Lyng?", "Brin is the capital city of Lyng.", "Brin"),
        ("What is the population density of Lyng?", "Population of Lyng: 4,000", "4,000"),
        ("Who is Lyng?", "Lyng: the capital city is Brin.", "the capital city"),
        ("What is the calling code of Lyng?", "Lyng (LYN) has the phone code +213.", "LYN"),
    ],
)
def test_what_cannot_answer_does_not_fit(question: str, passage: str, answer: str) -> None:
    assert not _fits(question, passage, answer)
