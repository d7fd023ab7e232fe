"""The characters of an answer from the tokens of a span."""

from answering.compact.extraction import Extractor, answer_characters
from answering.compact.model import CompactModel
from answering.compact.window_model import BertWindowModel, bert_tokens
from answering.readers.compact import WEIGHTS
from tests.tables import for_each

TOKENIZER = CompactModel.open(WEIGHTS).tokenizer()


@for_each(
    ("passage", "tokens", "answer"),
    [
        ("It grew by 51.6% in May.", ("51", "6"), "51.6%"),
        ("It cost $4,200 then.", ("4", "200"), "$4,200"),
        ("It cost €5 or less.", ("##5", "##5"), "€5"),
        ("It was 31° at noon.", ("31", "31"), "31°"),
        ("We paid $ and 5 more.", ("5", "5"), "5"),
        ("5 of them", ("5", "5"), "5"),
        ("There were 12", ("12", "12"), "12"),
        ("A share (of 7 %) fell.", ("7", "7"), "7"),
        ("Mayor Ayodele spoke.", ("##yo", "##yo"), "Ayodele"),
        ("“Anna Dahl,” she said.", ("“", "”"), "Anna Dahl"),
    ],
)
def test_an_answer_is_whole_words_with_the_signs_of_its_numbers(
    passage: str, tokens: tuple[str, str], answer: str
) -> None:
    encoding = TOKENIZER.encode(passage, add_special_tokens=False)
    first, last = encoding.tokens.index(tokens[0]), encoding.tokens.index(tokens[1])
    start, end = answer_characters(passage, bert_tokens(encoding), first, last)
    assert passage[start:end] == answer


def test_no_span_runs_from_a_headline_into_the_text() -> None:
    headline, text = "Who Leads the Evening Post", "Minger was the first woman who led the Evening Post."
    passage = f"{headline}\n{text}"
    extraction = Extractor(BertWindowModel(CompactModel.open(WEIGHTS))).extract("Who led the Evening Post?", passage)
    spans = [passage[span.start : span.end] for window in extraction.windows for span in window]
    assert "Minger" in spans
    assert not any("\n" in span for span in spans)


def test_no_name_runs_from_one_sentence_into_the_next() -> None:
    passage = (
        "Acme Corp was founded by Jane Poe in Lyng in 1987. It was bought by Bolt Ltd for $3 million in 2001. "
        "Its chief executive is Per Moe; Ann Lee is the chief financial officer."
    )
    extractor = Extractor(BertWindowModel(CompactModel.open(WEIGHTS)), cache_size=2)
    crossing = []
    for within in (False, True):
        extraction = extractor.extract("Who is the chief executive of Acme Corp?", passage, within_sentences=within)
        spans = [passage[span.start : span.end] for window in extraction.windows for span in window]
        crossing.append([span for span in spans if ". " in span or "; " in span])
    assert crossing[0]
    assert crossing[1] == []
