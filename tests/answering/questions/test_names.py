"""Names in questions, misspelt ones too, and how far a text mentions them."""

from hypothesis import given
from hypothesis import strategies as st

from answering.questions.named_text import Mention, NamedText
from answering.questions.names import question_names
from answering.questions.spelling import corrected
from tests.tables import for_each

TEXT = NamedText("The capital of Norway is Oslo. William wrote Hamlet, and Hamlet is long.")


@for_each(
    ("question", "names"),
    [
        ("What is the capital of Luxembourg?", ["Luxembourg"]),
        ("Luxembourg capital?", []),
        ("Capital of Equatorial Guinea", ["Equatorial Guinea"]),
        ("Who is the President of the United States?", ["President", "United States"]),
        ("How tall is the Eiffel Tower?", ["Eiffel Tower"]),
        ("What is Dr. Zorblax's cure?", ["Zorblax's"]),
        ("Who met Dr. Ada Dahl?", ["Ada Dahl"]),
        ("When did World War 2 end?", ["World War 2"]),
        ("What is the capital of Bosnia and Herzegovina?", ["Bosnia", "Herzegovina"]),
        ('What did "the old man" catch?', ["the old man"]),
        ("what is the capital of wakanda", ["wakanda"]),
        ("What is the capital of the country whose currency is the zloty?", ["zloty"]),
        ("Whose currency is the zloty?", []),
        ("¿Quién mandó construir el faro de Aldra?", ["Aldra"]),
        ("Why do birds sing?", []),
        ("Which law is about evening classes?", []),
        ("", []),
        ("?!", []),
    ],
)
def test_names_of_a_question_alone(question: str, names: list[str]) -> None:
    assert [name.text for name in question_names(question)] == names


@for_each(
    ("question", "names"),
    [
        ("who wrote hamlet", ["hamlet"]),
        ("what is the capital of norway", ["norway"]),
        ("norway capital", ["norway"]),
        ("Norway capital?", ["Norway"]),
        ("Capital?", []),
        ("What is the capital of north reskonland?", ["north reskonland"]),
        ("More than ten pounds of which food product were recalled?", []),
        ("Which country bans smoking in public parks?", []),
        ("what is the capital of new norway", ["new norway"]),
    ],
)
def test_texts_tell_names_from_other_words(question: str, names: list[str]) -> None:
    assert [name.text for name in question_names(question, [TEXT])] == names


@for_each(
    ("name", "text", "mention"),
    [
        ("Luxembourg", "Belgium borders Luxembourg.", Mention.WHOLE),
        ("Luxembourg", "The capital of Belgium is Brussels.", Mention.NONE),
        ("Guinea", "Equatorial Guinea lies in Africa.", Mention.LONGER),
        ("Guinea", "Guinea-Bissau lies in Africa.", Mention.LONGER),
        ("Guinea-Bissau", "In Guinea-Bissau it rains.", Mention.WHOLE),
        ("Guinea-Bissau", "The port of Bissau is old.", Mention.NONE),
        ("News Democrat", "The News-Democrat is a daily.", Mention.WHOLE),
        ("Jean-Luc Picard", "Then Picard spoke.", Mention.PART),
        ("Al-Qaeda", "They knew al-Qaeda.", Mention.WHOLE),
        ("Niger", "Nigeria has a coast.", Mention.NONE),
        ("South Sudan", "The capital of Sudan is Khartoum.", Mention.NONE),
        ("Papua New Guinea", "The capital of Guinea is Conakry.", Mention.NONE),
        ("New York City", "New York never sleeps.", Mention.PART),
        ("South Korea", "The capital of North Korea is Pyongyang.", Mention.NONE),
        ("North Rareskia", "The capital of North Korea is Pyongyang.", Mention.NONE),
        ("Hélène Marchetti", "It was Marchetti who drew it.", Mention.PART),
        ("Kenya", "Police Search Kenya Parks After Missing Lion", Mention.WHOLE),
        ("Sudan", "South Sudan is young.", Mention.LONGER),
        ("Kenya", "The Kenyan government met.", Mention.WHOLE),
        ("Hungary", "The Hungarian government met.", Mention.WHOLE),
        ("Kenya", "Kenya's capital", Mention.WHOLE),
        ("Joe Biden", "When President Joe Biden landed, it rained.", Mention.WHOLE),
        ("Kansas City", "He lives in North Kansas City now.", Mention.LONGER),
        ("United States", "The US won.", Mention.WHOLE),
        ("US", "The United States won.", Mention.WHOLE),
        ("Germany", "The Germans met.", Mention.WHOLE),
        ("Polish", "Rain falls on Poland.", Mention.WHOLE),
        ("Spain", "The capital is Port of Spain.", Mention.LONGER),
        ("Spain", "Port-of-Spain is the capital.", Mention.LONGER),
        ("Spain", "Capital: Port of Spain", Mention.LONGER),
        ("Spain", "Population of Spain: 47 million.", Mention.WHOLE),
        ("Spain", "The Kingdom of Spain has 47 million.", Mention.WHOLE),
        ("Portugal", "In Angola they speak Portuguese.", Mention.NONE),
        ("R&D", "Research and Development costs much.", Mention.WHOLE),
        ("Titan", "The Titanic sank.", Mention.NONE),
        ("IPCC", "The Intergovernmental Panel on Climate Change met.", Mention.WHOLE),
        ("Malé", "The airport of Male", Mention.WHOLE),
        ("Skerrow Lighthouse", "SKERROW LIGHTHOUSE", Mention.WHOLE),
    ],
)
def test_how_a_text_mentions_a_name(name: str, text: str, mention: Mention) -> None:
    (asked,) = question_names(f"What is known of {name}?")
    assert NamedText(text).mention(asked) is mention


@for_each(
    ("question", "text", "mention"),
    [
        ("When did Brin station open?", "The Brin Station opened in 1987.", Mention.WHOLE),
        ("When did Brin open?", "The Brin Station opened in 1987.", Mention.LONGER),
        ("When did Brin open its station?", "The Brin Station opened in 1987.", Mention.LONGER),
        ("Where is the port of Brin?", "The Port of Brin is busy.", Mention.WHOLE),
        ("Who settled southern Brin?", "Southern Brin was empty.", Mention.WHOLE),
        ("Who settled Brin in the south?", "South Brin was empty.", Mention.LONGER),
    ],
)
def test_words_beside_a_name_may_be_a_part_of_it(question: str, text: str, mention: Mention) -> None:
    (asked,) = question_names(question)
    assert NamedText(text).mention(asked) is mention


@for_each(
    ("question", "qualifies"),
    [
        ("Which Italian town did a lion walk through?", True),
        ("What is the Hungarian capital?", False),
        ("Which scandal-plagued US politician was hit?", True),
        ("What is Hungary's capital?", False),
        ("What colors was the 2001 ABC logo?", False),
        ("Which Eric Cantona town did a lion walk through?", False),
        ("Did Ada win?", False),
    ],
)
def test_a_name_that_only_qualifies_a_noun(question: str, qualifies: bool) -> None:
    (name,) = question_names(question)
    assert name.qualifies is qualifies


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_looked_through(question: str, text: str) -> None:
    named = NamedText(text)
    for name in question_names(question, [named]):
        assert question[name.start : name.end] == name.text
        assert NamedText(name.text).mention(name) is not Mention.NONE
        named.mention(name)


def test_the_owner_of_a_name_only_qualifies_it() -> None:
    owner, owned = question_names("How many towers has Barcelona's unfinished Sagrada Familia cathedral?")
    assert (owner.qualifies, owned.qualifies) == (True, False)


def test_dates_are_no_names() -> None:
    assert [name.text for name in question_names("What did Ada do on March 11, and what on Friday?")] == ["Ada"]


KNOWN = {"which", "states", "were", "sold", "to", "spain", "parliament", "the", "of", "bird"}
PASSAGE = "The Parliament sold the states of Myhre and Louisiana to Spain."


@for_each(
    ("question", "right"),
    [
        ("Whihc staets were sold?", "Which states were sold?"),
        ("the parliamnet of Spian", "the parliament of Spain"),
        ("Which birs?", "Which birs?"),  # no such word in the passage
        ("Which were Myhra?", "Which were Myhra?"),  # perhaps another name
        ("Which state of Louisiana?", "Which states of Louisiana?"),
        ("Which birds of Spain?", "Which birds of Spain?"),
        ("", ""),
    ],
)
def test_unknown_words_become_known_ones(question: str, right: str) -> None:
    assert corrected(question, [PASSAGE], KNOWN.__contains__) == right
