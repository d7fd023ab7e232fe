"""The words of Credence with their meanings: the glossary of the documentation, and the popovers of the pages."""

from collections.abc import Mapping
from typing import Final

TERMS: Final[Mapping[str, str]] = {
    "abstention": "a reading without an answer: the reader found none, or its answer fails the alignment",
    "alignment": "share of an answer's words that occur in its passages (ROUGE-1 precision); below a threshold the "
    "answer counts as an abstention",
    "answer": "the stored result of a question, with votes, dissent and citations",
    "answer class": "answers with the same meaning, identified by a key",
    "audit": "a comparison of estimates with gold answers that they were not fitted on",
    "ballot": "the vote of a selected source on a question, with its weight",
    "calibrated confidence": "how many answers with about the same confidence are right, measured on queries with gold "
    "answers; the number to show to people",
    "certificate": "the smallest set of selected sources whose corruption would change or remove the answer",
    "claim": "one statement of a response, which a judge compares with documents",
    "confidence": "probability that an answer is right, by the reliabilities of its sources and their intervals "
    "(posterior of the one-coin model)",
    "ConflictScore": "how far documents dispute a response: CS-C is the share of claims with support and contradiction,"
    " CS-R the mean share of contradiction",
    "connector": "a set of files or addresses from which documents are kept up to date",
    "copy group": "sources that copy each other; it counts as one independent source",
    "corpus": "a namespace of sources that answer the same kind of question",
    "debate": "a strategy in which a language model discusses the documents of the selected sources",
    "deviation": "of a vote that is a number: its distance from the weighted median, in standard deviations of the "
    "votes on the query",
    "dissent": "the selected sources whose answer is not the winner",
    "document": "a text of a source, identified within the source by `external_id`",
    "estimation run": "an estimate of all reliabilities of a corpus from its votes; the newest good one is current",
    "generation": "a search of the documents for facts from which queries are written",
    "gold answer": "a right answer to a query; runs judge votes by it, unless the corpus leaves it to evaluations",
    "group": "people who may see the same documents; it has nothing to do with copy groups",
    "join": "wordings that a person found to be one answer to a question; they are one answer class",
    "joint dissent": "a group of sources that agree with each other exactly where they leave the others; it counts once"
    " there, and where its members agree in an answer",
    "judge": "a model that labels a claim and a document: supports, contradicts, reports, irrelevant",
    "kappa": "number of sources from which an answer is made",
    "kappa-RRSS": "reliable and relevant source selection: read sources from the most reliable down until kappa have "
    "answered",
    "lead": "of an estimated query, or of a consensus where several answers may be true: probability of the answer "
    "minus that of the runner-up; the margin for methods that count votes",
    "margin": "of a vote: weight of the winner minus that of the runner-up, over the summed absolute weights",
    "misreading": "a reading that is not what its source says: an error of the reader, not of the source",
    "new source": "one that came after the current estimation, or after the first one and has fewer than three votes; "
    "it weighs little, and those that agree count as one",
    "origin": "where a query came from: `given`, `stated`, `generated` or `asked`",
    "override": "a reliability that an operator set by hand; it replaces the estimate",
    "passage": "a part of a document, the unit of retrieval",
    "period": "a time in which a source had one reliability",
    "person": "somebody who signs in with the provider of identities and has a role: owner, editor or reader",
    "piece": "a few queries of a run, which one worker handles",
    "query": "a question, without an answer, on which sources are compared",
    "question": "what a user asks",
    "rating": "a prior for the reliability of a source from an outside list, with a strength in votes",
    "reader": "a model that answers a question from passages, or abstains",
    "reading": "what a reader answers from the passages of one source",
    "relevance": "of a passage to a question: three fifths of the cosine of their embeddings, and two fifths of the "
    "share of the question's words that the passage has, with its title and headings",
    "reliability": "estimated share of a source's statements that are right, from 0 to 1, with a 90 % interval; without"
    " confidences of the reader, of its votes; `w` in formulas",
    "reuse": "copy the votes of an earlier run instead of searching and reading again",
    "selection": "the sources chosen for a question with their readings, and the others with the reason",
    "source": "a publisher whose documents share one reliability: a site, a feed, a vendor, a person",
    "stance": "what a document says about a claim",
    "stated value": "a value of a relation of a subject that a document gives as data, such as a row of a table; a vote"
    " without a reader",
    "statement": "what a source really says on a query: a vote that is no misreading",
    "strategy": "how readings become an answer: the weighted vote, a debate, or `auto`",
    "systematic band": "an interval around the reliability that allows for errors that sources share",
    "tally": "the weighted votes by answer class",
    "topic": "a group of queries on which sources have reliabilities of their own",
    "turn": "a change of a source's reliability at a point in time; it raises an alarm until an override is set",
    "vote": "an aligned and classified reading that did not abstain, or a stated value: (query, source, answer class)",
    "weight": "what a vote counts, from the reliability of its source; `v` in formulas",
}
