"""Answers fit what is asked: numbers with their signs, scales and units, and values behind labels."""

from answering.questions.answer_type import content_words, expected_answer_type
from answering.readers import CompactReader
from answering.readers.english.answer_fit import fits
from answering.readers.english.labels import is_of_another_field, is_of_another_label, within_field
from answering.readers.english.measures import before_label, whole_measure, whole_name
from answering.readers.english.whole_answer import whole_answer
from tests.tables import for_each


def _fits(question: str, passage: str, answer: str) -> bool:
    start = passage.index(answer)
    return fits(expected_answer_type(question), question, passage, start, start + len(answer))


@for_each(
    ("question", "passage", "answer"),
    [
        ("How many boats sank?", "Some 1,000 boats sank.", "1,000"),
        ("What do you call people from Brinland?", "The people of Brinland are called Brinlander.", "Brinlander"),
        ("What are the natives of Lyng called?", "Natives of Lyng are known as Lyngish.", "Lyngish"),
        ("What is the highest point of Lyng?", "The highest point of Lyng is Brin Tor.", "Brin Tor"),
        ("What causes eczema?", "Eczema is treated; it is caused by oil.", "oil"),
        ("What is against eczema?", "Oil relieves eczema.", "Oil"),
        ("What is the time in Lyng?", "It is half past 11:30 there.", "11:30"),
        ("What is the time in Lyng?", "Lyng is at UTC+3.", "UTC+3"),
        ("How large is the lead?", "It has a lead of +8 points.", "+8"),
        ("What is the exchange rate of the crown?", "It is two to a pound.", "two"),
        ("Who is the mayor of Lyng?", "Ada Dahl's council met. He was ousted, Ole Lund said.", "Ole Lund"),
        ("Which countries border Brin?", "Brin: Middle East, between Lyng and Esk", "Lyng"),
        ("Which countries border Lyng?", "Brin: Middle East, between Lyng and Esk", "Brin"),
        ("Who is Dahl?", "Mayor Dahl was ousted.", "Mayor"),
        ("Who wrote Brin?", "Dahl's Brin is a play.", "Dahl's"),
        ("Who is Dahl's wife?", "He married Ada Dahl.", "Ada Dahl"),
        ("Who founded Dahl Mills?", "They were founded by Ada Dahl.", "Ada Dahl"),
        ("Who fought Lyng?", "A war between Esk and Lyng broke out.", "Esk"),
        ("Between which countries does Brin lie?", "Brin lies between Lyng and Esk.", "Esk"),
        ("What lies between Lyng and what?", "Brin lies between Lyng and Esk.", "Esk"),
        ("Which country is its largest?", "Its largest is South Africa.", "South Africa"),
        ("Which country won?", "Against Norway the Turkish team won.", "Turkish"),
        ("Which country won?", "Unlike Lyng, Brin won.", "Brin"),
        ("What country singer lives in Peru?", "In Peru lives Ada Dahl.", "Ada Dahl"),
        ("Which country's president resigned?", "Ada Dahl of Peru resigned.", "Ada Dahl"),
        ("Which city is its largest?", "Its largest is Singapore.", "Singapore"),
        ("Which sea borders Lyng?", "Lyng lies on the North Sea.", "the North Sea"),
        ("What is the highest peak of Lyng?", "The highest peak of Lyng is Brin Tor.", "Brin Tor"),
        ("What is the highest court of Lyng?", "The highest court is the assembly.", "the assembly"),
        ("What is the short name of Lyng?", "Lyng (LYN) is a town.", "LYN"),
        ("Which company owns the mill?", "The mill is of Brin (LYN).", "LYN"),
        ("What is a healthy BMI?", "Healthy is less than 25.", "less than 25"),
        ("What is a good weight loss plan?", "A good plan is to walk.", "to walk"),
        ("What percentage of boats sank?", "Of the boats 40 % sank.", "40"),
        ("How many boats sank?", "A dozen boats sank.", "A dozen"),
        ("How often do they meet?", "They meet weekly.", "weekly"),
        ("How often is it wound?", "It is wound every 12 hours.", "every 12 hours"),
        ("Who is the mayor of Lyng?", "The ousted mayor was replaced by Ada Dahl of Brin.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "Ada Dahl became mayor of Lyng after Ole Lund was ousted.", "Ada Dahl"),
        ("Who was mayor of Lyng?", "Ada Dahl was ousted.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "Mayor Ada Dahl nominated Ole Lund for the board of Lyng.", "Ada Dahl"),
        ("Who is the former mayor of Lyng?", "Lyng's former mayor Ada Dahl has a boat.", "Ada Dahl"),
        ("Who is the prime minister?", "Prime Minister Ada Dahl spoke.", "Ada Dahl"),
        ("Who is the transport minister?", "Ada Dahl, the country's transport minister, spoke.", "Ada Dahl"),
        ("Who is the deputy mayor of Lyng?", "Ada Dahl, the deputy mayor of Lyng, spoke.", "Ada Dahl"),
        ("Who is the vice president of Lyng?", "Vice-President Ada Dahl of Lyng spoke.", "Ada Dahl"),
        ("Who is the prime minister?", "President: Ada Dahl; Prime Minister: Ole Lund.", "Ole Lund"),
        ("When did Lyng become a republic?", "Independent in 1964, it became the Republic of Lyng in 1974.", "1974"),
        ("How many calories should I eat?", "Eat 2,000 kcal a day.", "2,000"),
        ("How long does the flu last?", "It lasts 5 to 7 days.", "5 to 7"),
        ("How long did the empire last?", "It lasted from 1293 to 1500.", "1293 to 1500"),
        ("How many people have left?", "By May 5 million people have left.", "5 million"),
        ("When was the mill opened?", "Opened\nMay 4, 1874\n", "May 4, 1874"),
        ("On which day was the mill opened?", "The mill was opened on May 4, 1874.", "May 4, 1874"),
        ("Who is the chancellor?", "Prime Minister Ada Dahl spoke.", "Ada Dahl"),
        ("When did the mill close?", "The mill, opened in 1874, was closed in 1912.", "1912"),
        ("When did Ada Dahl die?", "Ada Dahl (1867 - 1934), born in Lyng, was a painter.", "1934"),
        ("What time of the year is it held?", "It is held this season only.", "this season"),
        ("How many A380 are there?", "There are 12 A380.", "12 A380"),
        ("What is the population density?", "It has 1,276 inhabitants per square kilometre.", "1,276"),
        ("Who is the president?", "The French president, Ada Dahl, spoke.", "Ada Dahl"),
        ("Who is the chief executive of Lyng?", "Its chief executive is Ada Dahl.", "Ada Dahl"),
        ("Which river borders Lyng?", "The river Mora borders Lyng.", "river Mora"),
        ("How many litres does it hold?", "It holds 5 litres.", "5"),
        ("How many dollars did it cost?", "It cost US$ 5 million.", "5 million"),
        ("How long is it open?", "Within a month it is open for two days.", "two days"),
        ("Who built it?", "Who built it? Ada Dahl did.", "Ada Dahl"),
        ("Who is Ada Dahl?", "Ada Dahl, a painter, was mayor until she resigned.", "a painter"),
        ("How often is it wound?", "It is wound every 12 hours.", "12 hours"),
        ("How often is it wound?", "It is wound every 6 to 8 hours.", "every 6 to 8 hours"),
        ("How often is it wound?", "It is wound twice in 24 hours.", "twice in 24 hours"),
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
        ("What is the internet domain of Lyng?", "Lyng (.ly) has many sites.", "ly"),
        ("What is the notice period in Lyng?", "Notice in Lyng is given 3 months before.", "3"),
        ("What is the time zone of Lyng?", "Clocks of Lyng: UTC+2.", "UTC+2"),
        ("What is the time zone of Lyng?", "Lyng has Mountain clocks.", "Mountain"),
        ("What is the life expectancy in Lyng?", "Life expectancy at birth: 81.4", "81.4"),
        ("Which town has the most dear zip code?", "The dearest zip code is in Brin.", "Brin"),
        ("When did Lyng lose its independence?", "Lyng was annexed in 1874.", "1874"),
        ("When did Ada Dahl die?", "Ada Dahl was killed in 1934.", "1934"),
        ("When did Ada Dahl die?", "Ada Dahl (1867-1934) was a painter.", "1934"),
        ("Who was the first mayor of Lyng?", "Its first mayor, elected in 1874, was Ada Dahl.", "Ada Dahl"),
        ("What is the name of the mayor?", "Mayor Ada Dahl spoke.", "Ada Dahl"),
        ("What does LBT stand for?", "The Lyng Board of Tides (LBT) meets.", "Lyng Board of Tides"),
        ("What does LBT stand for?", "The Lyng Board of Tides (LBT) meets.", "Board of Tides"),
        ("What does LBT stand for?", "LBT Lyng Barges and Tolls", "LBT Lyng Barges and Tolls"),
        ("What do LBTs stand for?", "The Lyng Board of Tides (LBT) meets.", "Lyng Board of Tides"),
        ("What is the dose for adults?", "Adults take two tablets.", "two tablets"),
        ("Who built the mill?", "The mill was built by Ada Dahl on May 4, 1874.", "Ada Dahl"),
        ("Who wrote the page?", "By Ada Dahl on May 4, 2018", "Ada Dahl"),
        ("What is the GDP per capita of Lyng?", "Lyng has a GDP of $55,300 per person.", "$55,300"),
        ("How long is the Mora?", "The Mora is 329 km long. Its highest point: 2,330 m", "329 km"),
    ],
)
def test_what_may_answer_fits(question: str, passage: str, answer: str) -> None:
    assert _fits(question, passage, answer)


@for_each(
    ("question", "passage", "answer"),
    [
        ("What percentage of boats sank?", "In the storm 40 boats sank.", "40"),
        ("How many boats sank?", "It was the third storm.", "third"),
        ("Which country is the happiest?", "Norway was told on Wall St.", "Wall St"),
        ("In which country are fireworks made?", "Peru buys them of Indianapolis.", "Indianapolis"),
        ("Which Spanish city is the hottest?", "It is hot in Spain and Algeria.", "Algeria"),
        ("Who is the mayor of Lyng?", "Lyng voted to remove its mayor, Ada Dahl of Brin.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "Former mayor of Lyng Ada Dahl has a boat.", "Ada Dahl"),
        ("Who is the prime minister?", "Ada Dahl, the country's transport minister, spoke.", "Ada Dahl"),
        ("Who is the prime minister?", "It was Ada Dahl's transport minister Ole Lund.", "transport minister Ole Lund"),
        ("Who is the president?", "Foreign minister Ada Dahl spoke.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "Ada Dahl, the deputy mayor of Lyng, spoke.", "Ada Dahl"),
        ("Who is the deputy mayor of Lyng?", "Mayor Ada Dahl of Lyng spoke.", "Ada Dahl"),
        ("Who is the king of Lyng?", "Queen Ada spoke.", "Ada"),
        ("Who is the king of Lyng?", "President Ada Dahl spoke.", "Ada Dahl"),
        ("Who is the president?", "President Ada Dahl and Prime Minister Ole Lund spoke.", "Ole Lund"),
        ("Who is the prime minister?", "President Ada Dahl and Prime Minister Ole Lund spoke.", "Ada Dahl"),
        ("How many calories should I eat?", "Drink 6 to 8 glasses of fluid a day.", "6 to 8 glasses"),
        ("How many bones does a baby have?", "It sleeps 14 hours a day.", "14"),
        ("How long does the flu last?", "About 1 in 5 will have a fever.", "1 in 5"),
        ("When was the mill opened?", "The old mill\nMay 4, 1874\nIt has three floors.", "May 4, 1874"),
        ("What are the symptoms of flu?", "On May 4, 2021 we wrote on flu.", "May 4, 2021"),
        ("When did Lyng become a republic?", "Lyng became independent in 1964.", "1964"),
        ("When did the mill close?", "The mill was opened in 1874.", "1874"),
        ("When did Ada Dahl die?", "Ada Dahl was born in 1867.", "1867"),
        ("What makes it hard to read?", "This habit makes it hard to read.", "This habit"),
        ("How often do they meet?", "They meet because of COVID-19.", "COVID-19"),
        ("How long is it boiled?", "It is boiled at 5 - 6 pm.", "5 - 6 pm"),
        ("What is the population density?", "It has 403,000 inhabitants and 316 square kilometres.", "403,000"),
        ("Who is the chief executive of Lyng?", "Ada Dahl is the chief financial officer.", "Ada Dahl"),
        ("Who is the chief technology officer?", "Ada Dahl is the chief financial officer.", "Ada Dahl"),
        ("Who is the transport minister?", "President Ada Dahl spoke.", "Ada Dahl"),
        ("Which river borders Lyng?", "Lake Mora borders Lyng.", "Lake Mora"),
        ("How many litres does it hold?", "The study gave 190 adults of Lyng nothing.", "190"),
        ("What was the capital before Brín?", "Brin is the capital. It was not always Brin.", "Brin"),
        ("What is the internet country code of Lyng?", "Lyng has the phone code +213.", "+213"),
        ("How long is it contagious?", "It is used within 48 hours of the first signs.", "48 hours"),
        ("What causes rust?", "Can the salt of the sea cause rust?", "the salt of the sea"),
        ("Who's mayor of Lyng?", "Ada Dahl (Brin) is the first mayor of Lyng to be ousted.", "Ada Dahl"),
        ("Who is mayor of Lyng?", "Ole Lund moved to oust Ada Dahl in Lyng.", "Ole Lund moved to oust Ada Dahl"),
        ("Who leads Lyng?", "Ada Dahl said on Monday that she will step down.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "The party of Lyng voted to nominate Ada Dahl for mayor.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "Ada Dahl, of Brin, won the nomination to be mayor of Lyng.", "Ada Dahl"),
        ("Who is the mayor of Lyng?", "They dropped Ada Dahl as their nominee for mayor of Lyng.", "Ada Dahl"),
        ("What is the internet domain of Lyng?", "Lyng speaks Arabic.", "Arabic"),
        ("What is the life expectancy in Lyng?", "Lyng has lent 20 million crowns.", "20 million"),
        ("What is the time zone of Lyng?", "Lyng lies in the far west.", "far west"),
        ("What is the time zone of Lyng?", "Lyng: 18 08 S, 178 25 E.", "18 08 S, 178 25 E"),
        ("How often is it wound?", "Wind it for at least 20 seconds.", "at least 20 seconds"),
        ("How much did the wreck cost?", "It brought no synergy.", "no synergy"),
        ("Which countries border Lyng?", "Brin: Middle East, between Lyng and Esk", "Esk"),
        ("Which countries border Eskó?", "Brin lies between the Lyng Isles and Eskó.", "Lyng Isles"),
        (
            "Which countries border Lyng?",
            "Lyng: Northern Europe, on the North Sea",
            "Northern Europe, on the North Sea",
        ),
        ("Which countries border Lyng?", "Lyng: Northern Europe, on the North Sea", "the North Sea"),
        ("Which countries border Lyng?", "Lyng: on the Gulf of Brin", "Gulf of Brin"),
        ("Who replaced Dahl?", "Mayor Ada Dahl was ousted.", "Mayor Ada Dahl"),
        ("Who replaced Dahl?", "Mayor Ada Dahl (of Brin) was ousted.", "Ada"),
        ("Who replaced Dahl?", "Mayor Ada Dahl (of Brin) was ousted.", "Ada Dahl (of Brin)"),
        ("Who replaced McDahl?", "Ada McDahl was ousted.", "Ada McDahl"),
        ("What is spoken in Lyng?", "Lyng (LYN) is a town.", "LYN"),
        ("What is the population growth of Lyng?", "Population of Lyng: 4,000", "4,000"),
        ("What is the highest mountain of Lyng?", "Climate of Lyng: mild, frigid in the Tors", "frigid"),
        ("What is a healthy BMI?", "BMI tells the healthy from others.", "the healthy"),
        ("What is a normal resting heart rate?", "A fast heart rate at rest is not normal.", "fast"),
        ("What is the largest town of Lyng?", "The capital of Lyng is Brin.", "Brin"),
        ("Where is Lyng?", "The capital of Lyng is Lyng la Varn.", "la Varn"),
        ("What is the population of Lyng?", "It is spoken by 20% of the population of Lyng.", "20"),
        ("Where is Lyng?", "The Skerrow Yearbook 2012: Lyng", "The Skerrow Yearbook"),
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
        ("What is the notice period in Lyng?", "5:46 Notice periods in Lyng", "5:46"),
        ("When did Lyng lose its independence?", "Upon independence in 1964 its name was changed.", "1964"),
        ("When did Ada Dahl die?", "Ada Dahl was known in 1934, when she led a strike from 1936 to 1941.", "1934"),
        ("Who was the first mayor of Lyng?", "Mayor Ada Dahl of Lyng spoke.", "Ada Dahl"),
        (
            "Who was the first mayor of Lyng?",
            "The first mayor, Ole Lund, led the town through the long years of two wars and a famine, until Ada Dahl.",
            "Ada Dahl",
        ),
        ("What is the name of the mayor?", "Mayor Ada Dahl was ousted.", "Ada Dahl"),
        ("What does LBT stand for?", "LBT: see the Harbour Office of Brin.", "Harbour Office of Brin"),
        ("What does US stand for?", "US: see the Union of Brin.", "Union of Brin"),
        ("What is the dose for adults?", "It is against headaches in adults.", "headaches"),
        ("Who built the mill?", "Reviewed in Lyng. \u2014 By Ada Dahl on May 4, 2018Latest news", "Ada Dahl"),
        ("What is the GDP per capita of Lyng?", "Lyng has a GDP of $278.1 billion.", "$278.1 billion"),
        ("How long is the Mora?", "Elevation of Lyng: lowest point: Mora river 329 m", "329 m"),
        ("How many languages does Lyng have?", "Languages of Lyng: Norn 65%, Scots 23%, Sami 12%", "65%"),
        ("How many languages does Lyng have?", "To call Lyng, dial +65.", "dial +65"),
        ("What causes eczema?", "Eczema is treated with oil.", "oil"),
        ("What is the main cause of eczema?", "Oil relieves eczema.", "Oil"),
        ("What do you call people from Lyng?", "People in Lyng drive on the right.", "the right"),
        ("What do you call people from Lyng?", "The national dish of Lyng is Amok trey.", "Amok trey"),
        ("What do you call a person from Lyng?", "The people of Lyng are called late.", "late"),
        ("What is the highest point of Lyng?", "The highest point of Lyng is unnamed.", "unnamed"),
        ("What is the time in Lyng?", "The surface area of Lyng is 580,367.0 square kilometres.", "580,367.0"),
        ("How big is Lyng?", "Its phone code is +856.", "+856"),
        ("What is the exchange rate of the crown?", "The crown has a rate in pounds.", "pounds"),
        (
            "Who is the mayor of Lyng?",
            "Mayor Ada Dahl's council was plagued by unrest, and in March 2003 she was deposed.",
            "Ada Dahl",
        ),
    ],
)
def test_what_cannot_answer_does_not_fit(question: str, passage: str, answer: str) -> None:
    assert not _fits(question, passage, answer)


COST = "How much did it cost?"


@for_each(
    ("question", "span", "answer"),
    [
        ("What is the highest point of Lyng?", "Pico", "Pico da Neblina"),
        ("What is the highest point of Lyng?", "Pico da Neblina 2,994 m", "Pico da Neblina"),
        ("What is the lowest point of Lyng?", "Varn Lake -4", "Varn Lake"),
        ("Who was first on Neblina?", "Pico", "Pico"),
        ("What was founded in Lyng?", "Mills 1874", "Mills 1874"),
    ],
)
def test_a_name_has_all_that_belongs_to_it_and_no_height(question: str, span: str, answer: str) -> None:
    passage = "Highest: Pico da Neblina 2,994 m, lowest: Varn Lake -4 m. It has Mills 1874."
    start = passage.index(span)
    end = start + len(span)
    assert whole_answer(question, expected_answer_type(question), passage, start, end).text == answer


@for_each(
    ("question", "passage", "span", "answer"),
    [
        (COST, "It cost $12.2 billion.", "$12.2", "$12.2 billion"),
        (COST, "It cost $12.2 billion in all.", "2 billion", "$12.2 billion"),
        (COST, "It cost US$4m, they say.", "4m", "US$4m"),
        (COST, "It cost 40 dollars.", "40", "40 dollars"),
        (COST, "It cost €40, in gold.", "40", "€40"),
        ("How tall is it?", "It is 42 metres tall.", "42", "42 metres"),
        ("How fast is it?", "It makes 42.5 kilometres per hour.", "5", "42.5 kilometres per hour"),
        ("How tall is it in metres?", "It is 42 metres tall.", "42", "42"),
        ("How large is it?", "It is 42 in all.", "42", "42"),
        ("How many boats sank?", "Some 1,700 boats sank.", "700", "1,700"),
        ("How many tonnes can it lift?", "It lifts 42 tonnes.", "42", "42"),
        ("What is the share of rye?", "Rye has 7.5 per cent of it.", "7.5", "7.5 per cent"),
        ("Who built it?", "It was built by Ida Kolb.", "Ida", "Ida"),
        ("Which band is it?", "It is the 5 million club.", "5", "5 million"),
    ],
)
def test_a_number_has_all_that_belongs_to_it(question: str, passage: str, span: str, answer: str) -> None:
    start = passage.index(span)
    first, last = whole_measure(passage, start, start + len(span), question, expected_answer_type(question))
    assert passage[first:last] == answer


def test_a_name_is_not_cut_before_a_small_word() -> None:
    text = "The capital is Andorra la Vella, in the Pyrenees."
    assert text[whole_name(text, text.index("la Vella")) :].startswith("Andorra la Vella")
    assert whole_name(text, text.index("Pyrenees")) == text.index("Pyrenees")
    assert whole_name("la Vella", 0) == 0


FACTS = (
    "Elevation extremes of Austria: lowest point: Neusiedler See 115 m highest point: Grossglockner 3,798 m\n"
    "Capital of Austria: name: Vienna; geographic coordinates: 48 12 N, 16 22 E; etymology: the name is of a stream\n"
    "Birth rate: 9.4 births/1,000 population\n"
    "Death rate: 9.8 deaths/1,000 population"
)


@for_each(
    ("question", "value", "other"),
    [
        ("What is the highest point in Austria?", "Grossglockner", "Neusiedler"),
        ("What is the lowest point in Austria?", "Neusiedler", "Grossglockner"),
        ("What is the capital of Austria?", "Vienna", "of a stream"),
        ("What is the death rate of Austria?", "9.8", "9.4"),
        ("What is the birth rate of Austria?", "9.4", "9.8"),
    ],
)
def test_what_is_asked_for_has_its_own_label(question: str, value: str, other: str) -> None:
    asked, subject = content_words(question), content_words("Austria")
    assert not is_of_another_label(asked, subject, FACTS, FACTS.index(value))
    assert is_of_another_label(asked, subject, FACTS, FACTS.index(other))


@for_each("question", ["What is the climate of Austria?", "Who discovered Austria?", "Austria"])
def test_where_no_label_is_asked_for_none_is_another(question: str) -> None:
    asked, subject = content_words(question), content_words("Austria")
    assert not any(is_of_another_label(asked, subject, FACTS, start) for start in range(len(FACTS)))


async def test_the_reader_takes_the_value_of_the_label_that_is_asked_for() -> None:
    reader = CompactReader(threads=1)
    try:
        reading = await reader.read("What is the highest point in Austria?", [FACTS.splitlines()[0]], ["Austria"])
        assert reading.answer is not None
        assert "Grossglockner" in reading.answer
    finally:
        await reader.aclose()


@for_each(
    ("passage", "span", "answer"),
    [
        ("Capital of Lyng: name: Port Brin geographic coordinates: 53 N", "Port Brin geographic", "Port Brin"),
        ("Area of Lyng: total: 652 sq km land: 640 sq km", "652 sq km land: 640", "652"),
        ("Area of Lyng: total: 652 sq km; land: 640 sq km", "652 sq km; land: 640 sq km", "652 sq km"),
        ("Calling code of Lyng: +213. Region: North", "+213. Region: North", "+213"),
        ("Capital of Lyng: Brin note: a new one is being built", "Brin note: a new one", "Brin"),
        ("Capital of Lyng: Brin\nArea: 652 sq km", "Brin", "Brin"),
        (
            "They called it Overcoming barriers: a report",
            "Overcoming barriers: a report",
            "Overcoming barriers: a report",
        ),
    ],
)
def test_a_value_ends_before_the_next_label(passage: str, span: str, answer: str) -> None:
    start = passage.index(span)
    first, last = before_label(passage, start, start + len(span))
    assert passage[first:last] == answer


@for_each(
    ("passage", "taken", "rest"),
    [
        ("Location of Lyng: Northern Europe", "Lyng: Northern Europe", "Lyng"),
        ("Languages spoken in Lyng: Norn", "Languages spoken in Lyng: Norn", "Norn"),
        ("Languages of Lyng: Languages: Norn", "of Lyng: Languages: Norn", "Norn"),
        ("Location of Lyng: Northern Europe", "Northern Europe", "Northern Europe"),
        ("Location of Lyng: Northern Europe", "Lyng", "Lyng"),
        ("It rains in Lyng.", "in Lyng", "in Lyng"),
    ],
)
def test_what_a_line_tells_is_left_out_of_its_value(passage: str, taken: str, rest: str) -> None:
    start = passage.index(taken)
    first, last = within_field(passage, start, start + len(taken))
    assert passage[first:last] == rest


@for_each(
    ("question", "passage", "is_other"),
    [
        ("Which countries border Lyng?", "Languages of Lyng: Norn", True),
        ("Which countries border Lyng?", "Location of Lyng: east of Norn", False),
        ("What is the national sport of Lyng?", "National holiday of Lyng: Norn", True),
        ("What is the legal system of Lyng?", "Government type of Lyng: Norn", True),
        ("What government has Lyng?", "Government type of Lyng: Norn", False),
    ],
)
def test_a_line_tells_what_it_is_of(question: str, passage: str, *, is_other: bool) -> None:
    start = passage.index("Norn")
    assert is_of_another_field(question, passage, start, start + 4) is is_other


def test_the_name_of_a_field_is_no_value_of_it() -> None:
    passage = "Languages of Lyng: Languages: Norn"
    of = {
        word: is_of_another_field("What do they speak in Lyng?", passage, at, at + len(word))
        for word, at in (("Languages", 0), ("Languages:", 19), ("Norn", 30))
    }
    assert of == {"Languages": True, "Languages:": True, "Norn": False}


@for_each(
    ("question", "passage", "answer", "fit"),
    [
        ("What is eczema?", "Eczema (a disease) is usually an itching of the skin.", "an itching", True),
        ("What is eczema?", "Eczema, an itching of the skin, passes.", "an itching of the skin", True),
        ("What is eczema?", "Eczema, or atopic dermatitis, passes.", "atopic dermatitis", True),
        ("What is eczema?", "Eczema: an itching of the skin", "itching", True),
        ("What is eczema?", "They have atopic dermatitis (eczema).", "atopic dermatitis", True),
        ("What is eczema?", "They have an itching called eczema.", "itching", True),
        ("What is eczema?", "It is an itching of the skin.", "an itching", True),
        ("What are solar cells?", "A solar cell is a device.", "a device", True),
        ("What is the Lyng?", "The mill Lyng turns.", "The mill", True),
        ("What is the risk?", "The risk has to be run in Lyng.", "run in Lyng", True),
        ("What is missing?", "A wheel went missing.", "A wheel", True),
        ("What is a mill in Lyng?", "In Lyng they go to the Varn.", "the Varn", True),
        ("What is Varna?", "V\u00e1rna is a mill.", "a mill", True),
        ("What is eczema?", "Evening primrose oil for eczema", "Evening primrose oil", False),
        ("What is eczema?", "Primrose oil is effective in eczema.", "Primrose oil", False),
        ("What is eczema?", "The cause of eczema is a dry skin.", "a dry skin", False),
        ("What is eczema?", "Eczema is treated with oil.", "oil", False),
        ("What is eczema?", "Some had acne, eczema, asthma or gout.", "asthma", False),
        ("What is eczema?", "Take acetaminophen (Tylenol) against eczema (of skins).", "acetaminophen", False),
        ("What is eczema?", "The best of all is oil.", "oil", True),
        ("What is eczema?", "Many take oil.", "oil", False),
        ("What is eczema?", "Eczema seems to be to blame.", "to blame", False),
        ("What are mills?", "Windmills: how to build them", "how to build them", False),
    ],
)
def test_what_something_is_is_said_of_it(question: str, passage: str, answer: str, fit: bool) -> None:
    assert _fits(question, passage, answer) is fit
