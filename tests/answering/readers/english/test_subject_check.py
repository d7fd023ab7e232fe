"""Which passages and spans are about what was asked."""

from answering.readers.english.subject_check import SubjectCheck
from tests.tables import for_each


@for_each(
    ("question", "passage", "title", "speaks"),
    [
        ("What is the capital of Chad?", "The capital of Chad is N'Djamena.", "", True),
        ("What is the capital of Chad?", "Its capital is N'Djamena.", "Chad", True),
        ("What is the capital of Chad?", "Its capital is Bangui.", "Central African Republic", False),
        ("What is the capital of Chad?", "The capital is Bangui.", "", False),
        ("what is the capital of chad", "Its capital is N'Djamena.", "Chad", True),
        ("What is the capital of South Sudan?", "The capital is Khartoum.", "Sudan", False),
        ("What is the capital of Guinea?", "The capital is Malabo.", "Equatorial Guinea", False),
        ("Where did Tesla live?", "He lived in New York hotels.", "Nikola Tesla", True),
        ("What is the capital of Sudan?", "She said that it is Juba.", "South Sudan", False),
        ("Who led Georgia?", "Its capital is Tbilisi.", "Central Georgia", False),
        ("What is the capital of the Republic of Chad?", "Its capital is N'Djamena.", "Chad", True),
        ("What is the capital of Old Chad?", "Its capital is N'Djamena.", "Chad", False),
        ("Which Italian town lost a lion?", "Ladispoli lost a lion.", "", True),
        ("Is Oslo the capital of Norway?", "The capital of Norway is Bergen.", "", True),
        ("Which is longer, the Nile or the Amazon?", "The Nile has 6,650 km.", "", True),
        ("Why do birds sing?", "They sing to be heard.", "", True),
        ("How many teeth does an adult have?", "An adult has 32 teeth.", "", True),
        ("How many teeth does an adult have?", "The trial had 5,446 adults.", "", False),
        ("How many kilometres does a snail walk?", "A snail walks 2 miles.", "", True),
        ("How many people live in Chad in 2090?", "Chad has 20 million people.", "", False),
        ("How many people live in Chad in 2090?", "Chad: 60 million people, they say.", "The world in 2090", True),
    ],
)
def test_passages_that_speak_of_the_subject(question: str, passage: str, title: str, speaks: bool) -> None:
    assert SubjectCheck(question, [passage], [title]).speaking == ([0] if speaks else [])


@for_each(
    ("passage", "speaks"),
    [("Chickenpox lasts a week.", True), ("Chicken pox lasts a week.", True), ("A migraine lasts a day.", False)],
)
def test_a_short_question_is_about_its_rare_word(passage: str, speaks: bool) -> None:
    subject = SubjectCheck("How long does chickenpox last?", [passage], [""], lambda word: word != "chickenpox")
    assert subject.speaking == ([0] if speaks else [])


@for_each(
    ("question", "text", "title", "allowed"),
    [
        ("Who won the Brin Cup in 2022?", "Ada Dahl won the Brin Cup.", "Cups of 2023", False),
        ("Who won the Brin Cup in 2022?", "Ada Dahl won the Brin Cup.", "Cups of 2022 and 2023", True),
        ("Who won the Brin Cup in 2022?", "Ada Dahl won the Brin Cup in 2021.", "", False),
        ("Who won the Brin Cup in 2022?", "Ada Dahl won the Brin Cup of 2020-2024.", "", True),
        ("Who won the Brin Cup in 2022?", "Ada Dahl won the Brin Cup.", "", True),
        ("Who won the Brin Cup?", "Ada Dahl won the Brin Cup in 2021.", "", True),
        ("In which year did Ada Dahl, who won in 2021, die?", "Ada Dahl died in 2024.", "", True),
    ],
)
def test_an_answer_of_another_year_than_asked_for_is_none(question: str, text: str, title: str, allowed: bool) -> None:
    start = text.index("Ada Dahl")
    assert SubjectCheck(question, [text], [title]).allows(0, start, start + 8) is allowed


@for_each(
    ("question", "text", "title", "allowed"),
    [
        ("What is the population of the capital of Lyng?", "Lyng has 4,000 people.", "Lyng", False),
        ("What is the population of the capital of Lyng?", "Lyng's capital, Brin, has 4,000 people.", "Lyng", True),
        ("How many people live in the largest city of Lyng?", "4,000 people live here.", "Brin, city in Lyng", True),
        ("How old was Ada's father in 1874?", "Ada was 4,000 days old.", "", False),
        ("What is the population of Lyng?", "Lyng has 4,000 people.", "Lyng", True),
        ("How many live in South Lyng?", "Population of North Lyng: 4,000, more than South Lyng", "", False),
        ("How many live in South Lyng?", "Population of South Lyng: 4,000", "", True),
        ("Who is the king of Lyng?", "Lyng is ruled by King Brin, who is 4,000.", "", True),
        ("How many live in the country next to Lyng?", "Lyng has 4,000 people.", "Lyng", False),
        ("How many live in the country that borders Lyng?", "Brin, which borders Lyng, has 4,000 people.", "", True),
        ("What is the size of the size of Lyng?", "The size of Lyng is 4,000.", "", False),
        ("Who is the second king of Lyng?", "Lyng is ruled by King Brin, who is 4,000.", "", False),
        ("Who is the second king of Lyng?", "King Brin, who is 4,000, succeeded the first.", "Lyng", True),
    ],
)
def test_a_number_stands_beside_what_it_is_of(question: str, text: str, title: str, allowed: bool) -> None:
    start = text.index("4,000")
    assert SubjectCheck(question, [text], [title]).allows(0, start, start + 5) is allowed


@for_each(
    ("text", "title", "allowed"),
    [
        ("Brin Corp was founded in 1987. Lyng Ltd bought it.", "", False),
        ("Lyng Ltd sells oars. It was founded in 1987.", "", True),
        ("Lyng Ltd sells oars. Ada Dahl, its owner, founded it in 1987.", "", True),
        ("Ada Dahl was the founder in 1987.", "Lyng Ltd", True),
        ("In 1987 Ada Dahl founded the company. Lyng Ltd sells oars.", "", True),
    ],
)
def test_a_sentence_that_begins_with_another_name_is_not_on_what_is_asked(text: str, title: str, allowed: bool) -> None:
    start = text.index("1987")
    assert SubjectCheck("When was Lyng Ltd founded?", [text], [title]).allows(0, start, start + 4) is allowed


@for_each(
    ("title", "allowed"),
    [("United Kingdom", False), ("Scotland", True), ("", True), ("What the papers say of the north", True)],
)
def test_on_a_page_about_something_else_the_sentence_mentions_it(title: str, allowed: bool) -> None:
    text = "Scotland lies in the north. The capital is London."
    subject = SubjectCheck("What is the capital of Scotland?", [text], [title])
    assert subject.allows(0, text.index("London"), text.index("London") + 6) is allowed


@for_each(
    ("title", "allowed"),
    [("Trinidad and Tobago", False), ("Trinidad", False), ("Spain", True)],
)
def test_a_name_behind_of_is_a_part_of_another(title: str, allowed: bool) -> None:
    text = "Its capital is Port of Spain. It has 1,228,691 inhabitants."
    subject = SubjectCheck("What is the capital of Spain?", [text], [title])
    start = text.index("Port")
    assert subject.allows(0, start, start + 13) is allowed


@for_each(
    ("text", "allowed"),
    [
        ("The capital of Chad is Bangui, on the way to the Brin.", False),
        ("Capital of Chad: name: Bangui; etymology: from a word of the Brin", False),
        ("The capital of Brin is Bangui, on the way to Chad.", True),
        ("Capital of the Brin: name: Bangui", True),
        ("The king of Chad is in Bangui, the capital of the Brin.", True),
    ],
)
def test_what_is_stated_of_another_subject_is_not_of_the_one_asked_about(text: str, allowed: bool) -> None:
    start = text.index("Bangui")
    subject = SubjectCheck("What is the capital of the Brin?", [text], [""])
    assert subject.allows(0, start, start + 6) is allowed


@for_each(
    ("name", "sentence", "title", "allowed"),
    [
        ("Dahl", "The mill of Ada Dahl opened in 1987.", "Mills", True),
        ("Dahl", "The mill of Ada Dahl Lyng opened in 1987.", "Mills", False),
        ("Lyng", "The mill of South Lyng opened in 1987.", "Mills", False),
        ("Samoa", "The mill of American Samoa opened in 1987.", "Mills", False),
        ("Dahl", "The mill of Ada Dahl opened in 1987.", "Mount Dahl", False),
    ],
)
def test_a_sentence_below_another_title_may_give_a_surname_in_full(
    name: str, sentence: str, title: str, allowed: bool
) -> None:
    subject = SubjectCheck(f"When did the mill of {name} open?", [sentence], [title])
    start = sentence.index("1987")
    assert subject.allows(0, start, start + 4) is allowed


@for_each(
    ("question", "allowed"),
    [
        ("Where is Chad?", False),
        ("How large is Chad?", False),
        ("How large is the share of each religion in Chad?", True),
        ("Which religions are there in Chad?", True),
        ("Which ethnic groups live in Chad?", False),
        ("How many people live in Chad?", False),
        ("How many people in Chad are Muslim?", True),
        ("Who lives in Chad?", True),
    ],
)
def test_a_line_of_religions_tells_no_ethnic_groups(question: str, allowed: bool) -> None:
    text = "Religions of Chad: Muslim 52%"
    assert SubjectCheck(question, [text], ["Chad"]).allows(0, text.index("Muslim"), text.index(" 52%")) is allowed


@for_each(
    ("question", "answer", "allowed"),
    [
        ("How big is Chad?", "1 - 606", False),
        ("Which currency has Chad?", "francs", True),
        ("How big is Chad?", "235", False),
        ("How do you call Chad?", "235", True),
    ],
)
def test_a_rate_or_a_code_is_no_size(question: str, answer: str, allowed: bool) -> None:
    text = "Exchange rates of Chad: francs per US$1 - 606\nCalling code of Chad: 235"
    start = text.index(answer)
    assert SubjectCheck(question, [text], ["Chad"]).allows(0, start, start + len(answer)) is allowed


@for_each(
    ("answer", "allowed"),
    [("Independence", False), ("Exchange rates", False), ("rates", False), ("Amman", True), ("25 May 1946", True)],
)
def test_a_label_of_a_line_is_no_answer(answer: str, allowed: bool) -> None:
    text = "Capital of Jordan: Amman\nIndependence of Jordan: 25 May 1946\nExchange rates of Jordan: dinars per dollar"
    start = text.index(answer)
    subject = SubjectCheck("What does Jordan have?", [text], ["Jordan"])
    assert subject.allows(0, start, start + len(answer)) is allowed


@for_each(
    ("question", "text", "allowed"),
    [
        ("What is the national anthem of Estonia?", "The national dish of Estonia is stew.", False),
        ("What is the national dish of Estonia?", "The national dish of Estonia is stew.", True),
        ("What is the highest mountain of Estonia?", "The highest peak of Estonia is stew.", True),
    ],
)
def test_a_sentence_on_another_thing_of_the_same_kind_has_no_answer(question: str, text: str, allowed: bool) -> None:
    check = SubjectCheck(question, [text], ["Estonia"])
    assert check.allows(0, text.index("stew"), text.index("stew") + 4) is allowed
