"""The stored result of a question, with everything that it was made of."""

from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from answering.enums import AbstentionReason, Outcome
from registry.answers.debate_schemas import AutoView, DebateView, VoteConclusion
from registry.answers.schemas import Strategy
from registry.conflict_scores.schemas import ConflictScoreView
from registry.estimations.schemas import QuestionTopic
from registry.evaluations.schemas import CalibratedConfidence
from registry.platform.fields import Result, Score
from registry.votes.schemas import CertificateView, TallyEntry

EVEN_CHANCE: Final = 0.5


class Decider(StrEnum):
    """The step that decided on the answer."""

    VOTE = "vote"
    READINGS = "readings"
    """`auto` found the vote not safe and gives the answers of all selected sources."""
    DEBATE = "debate"
    PARTS = "parts"
    """The question asks several, and each part was decided on its own."""
    NOBODY = "nobody"
    """`auto` found that no answer holds, or nothing was read."""


class SelectedSource(Result):
    """A selected source, whose reading votes."""

    source_id: UUID
    """Id of the source."""
    external_id: str
    """The caller's id of the source."""
    name: str
    """Name of the source."""
    reliability: Score | None
    """Reliability at the time of the answer, on the topic of the question if that is used; for a source that turned,
    that of the period in which it published its answer. Null before the first estimation."""
    overall_reliability: Score | None = None
    """Over all topics, where `reliability` is that on the topic of the question; null otherwise."""
    lower: Score | None = None
    """Lower end of the 90 % interval of its estimate; null for one that turned."""
    upper: Score | None = None
    """Upper end of it."""
    vote_count: int | None = None
    """Votes that the estimate rests on; null where a rating counts as well, and in old answers."""
    registered_at: datetime | None = None
    """When the source was registered."""
    is_new: bool = False
    """Whether it counts as new: it came after the estimation, or its documents that say so did, against older ones."""
    overridden: bool
    """Whether an operator set the reliability."""
    turned_at: datetime | None = None
    """When the source turned, according to the estimation; null if it did not."""
    weight: float
    """Weight of its vote; members of a copy group that give the same answer share one weight."""
    copy_group: int | None = None
    """Number of its copy group in the estimation; null for an independent source."""
    joint_dissent: int | None = None
    """Number of the group that dissents together, whose equal answers share one weight; null for none."""
    relevance: Score
    """Of its best passage to the question: cosine similarity and the share of the question's words, three to two."""
    answer: str
    """Its answer, in the words of the reading."""
    reading_confidence: Score | None = None
    """The reader's confidence in that answer; null if it gives none."""
    stated: bool = False
    """Whether that answer came as data, in a document or as an imported vote, so that nothing was read."""
    imported: bool = False
    """Whether it is an imported vote."""
    supports: bool
    """Whether it gives the answer, of a list all items; of a debate, whether its documents have one of its answers."""


class RejectedSource(Result):
    """A source without a vote."""

    source_id: UUID
    """Id of the source."""
    external_id: str
    """The caller's id of the source."""
    name: str
    """Name of the source."""
    reliability: Score | None
    """Reliability, as for selected sources."""
    overall_reliability: Score | None = None
    """Overall reliability, as for selected sources."""
    reason: str
    """abstained, misaligned, misread, unsure, no_passages, failed, not_a_candidate, not_reached, out_of_budget."""
    reading: str | None = None
    """The answer of its reading, if it was read and its answer is not supported by its passages."""
    abstention: AbstentionReason | None = None
    """Why its reader abstained; declined where a language model replied that it does not know."""


class Dissent(Result):
    """A selected source that gives another answer."""

    source_id: UUID
    """Id of the source."""
    name: str
    """Name of the source."""
    reliability: Score | None
    """Reliability, as for selected sources."""
    overall_reliability: Score | None = None
    """Overall reliability, as for selected sources."""
    answer: str
    """Its answer, in the words of the reading."""


class Citation(Result):
    """A quote of a source."""

    source_id: UUID
    """Id of the source."""
    document_id: UUID
    """Id of the document."""
    document_revision: int | None = None
    """Its revision, see `GET documents/{document_id}/revisions`; null in answers made before these were counted."""
    document_external_id: str
    """The caller's id of the document."""
    title: str
    """Title of the document."""
    url: str | None = None
    """Address of the document; null if it has none."""
    published_at: datetime | None
    """When the document was published; null if it does not say."""
    start: int
    """Offset of the first character (code point) of the quote in the text of the document; 0 in its title."""
    end: int
    """One past its last character; 0 in the title of the document."""
    quote: str
    """The sentence that states the answer: the text of the document from start to end, verbatim, or its title."""
    context: str
    """The passage in which it stands."""
    answer: str | None = None
    """The answer it is cited for, if there are several, or the list of its source; null for the answer of the vote."""


class NoAnswerCode(StrEnum):
    """A reason why a question has no answer."""

    NOT_A_QUESTION = "not_a_question"
    """A greeting, an order, a remark, nothing to look up; also what is not put as a question and has no answer."""
    NO_SUBJECT = "no_subject"
    """It does not say what it is about: a follow-up without a question before it, or one of several subjects."""
    UNKNOWN_SUBJECT = "unknown_subject"
    """No passage names what the question is about; those found nearest are about something else."""
    NO_PART_ANSWERED = "no_part_answered"
    """The question asks several, and none has an answer."""
    NOTHING_FOUND = "nothing_found"
    """No source has a passage on the question."""
    NOBODY_ANSWERED = "nobody_answered"
    """The reader found no answer in what was published."""
    LANGUAGE = "language"
    """Nobody answered, and the question is in a language that the reader does not know."""
    QUESTION_KIND = "question_kind"
    """Nobody answered, and what was read is not of the kind that the question asks for, nor explains or decides."""
    NOT_JUDGED = "not_judged"
    """It asks for yes or no of a kind on which the compact reader is right half of the time and reads nothing."""
    ONLY_REJECTED = "only_rejected"
    """There are answers, but none stands in the passages that it was read from."""
    READINGS_FAILED = "readings_failed"
    """Every reading failed."""
    OUT_OF_BUDGET = "out_of_budget"
    """The budget of readings was spent before a source answered."""
    UNSURE = "unsure"
    """What was read may answer, and is too uncertain: one reading where a search found passages in many sources."""
    NOBODY_RELIABLE = "nobody_reliable"
    """Sources answered, and none of them is reliable enough: for its vote to count, or for `least_reliability`."""
    NO_ANSWER_HOLDS = "no_answer_holds"
    """Sources answered, and the strategy found that no answer holds."""


class NoAnswer(Result):
    """The reason why a question has no answer, as a code and in words."""

    code: NoAnswerCode
    """The reason."""
    text: str
    """The reason in words."""


class AnsweredPart(Result):
    """The answer to one of several questions in one, which is stored as an answer of its own."""

    question: str
    """The part, as a question that stands alone."""
    answer_id: UUID
    """Its answer, with everything that it was made of."""
    outcome: Outcome
    """Whether it has an answer."""
    answers: tuple[str, ...]
    """Its answers, the most probable first."""
    confidence: Score
    """Confidence in the first of them."""
    calibrated_confidence: CalibratedConfidence | None = None
    """Calibrated confidence, as for the whole answer."""
    no_answer: NoAnswer | None = None
    """The reason why it has no answer; null otherwise."""


class UsageView(Result):
    """The cost of the answer."""

    readings: int
    """Sources read, cached readings included."""
    readings_cached: int
    """Readings that were made before."""
    model_calls: int
    """Calls of language models."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """Time from the question to its answer, without a final ConflictScore."""


class AnswerResult(Result):
    """The answer to a question, and what it was made of."""

    outcome: Outcome
    no_answer: NoAnswer | None = None
    """The reason why there is no answer that sources support; null otherwise."""
    answers: tuple[str, ...]
    """The most probable answer first, or the first of each part of the question; several if the vote is almost even or
    not safe, a debate found several right, or the question asks for several, each of which was voted on."""
    confidence: Score
    """Posterior probability of the first answer under the one-coin model; of a list that of its least sure item."""
    confidence_capped: bool = False
    """Whether it was lowered to 0.95: without the sources registered last another answer would win, or none."""
    calibrated_confidence: CalibratedConfidence | None = None
    """The share of such answers that are right, as people are shown it; null without an answer."""
    margin: Score
    """Winning weight minus the runner-up's, over the summed absolute weights; of a list that of the closest item."""
    strategy: Strategy
    """The requested one."""
    decided_by: Decider = Decider.VOTE
    """The step that decided: the vote, all readings side by side, a debate, or none."""
    vote: VoteConclusion | None = None
    """The conclusion of the vote alone, if the answer is another."""
    auto: AutoView | None = None
    """The decision of the strategy `auto` and its reasons; null with other strategies."""
    debate: DebateView | None = None
    """The debate with its transcript; null if none was held."""
    selected_sources: tuple[SelectedSource, ...]
    """The sources whose readings vote."""
    rejected_sources: tuple[RejectedSource, ...]
    """Sources without a vote, each with the reason."""
    rejected_total: int
    """Number of rejected sources; the list has the first hundred, those that were read first."""
    tally: tuple[TallyEntry, ...]
    """The support of every answer class, the winner first; of lists that of every item, those of the answer first."""
    dissent: tuple[Dissent, ...]
    """The selected sources that give another answer, or not all items of a list."""
    certificate: CertificateView
    as_of: datetime | None = None
    """When the newest document that gives the first answer was published; null if unknown."""
    citations: tuple[Citation, ...]
    """Quotes that state the answers, of sources that support them."""
    dissent_citations: tuple[Citation, ...] = ()
    """Quotes of selected sources that `citations` has not, each with the `answer` of the tally that it is cited for: of
    each of the first ten answers at most three, of the independent votes with most weight. Empty in old answers."""
    nearest: tuple[Citation, ...] = ()
    """The passages that the search found nearest, where no source answers; each is quoted from its beginning."""
    parts: tuple[AnsweredPart, ...] = ()
    """The questions that the question asks, where it asks several, each with its answer."""
    conflict_score: ConflictScoreView | None = None
    """How far passages of the selected sources dispute the answers; null if `conflict_score_missing` says why."""
    conflict_score_missing: str | None = None
    """The reason why there is no ConflictScore; null if there is one."""
    estimation_id: UUID | None
    """The run whose reliabilities counted; null before the first estimation."""
    reader: str | None = None
    """Name of the reader of the sources; null if nothing was read."""
    newer_documents: int | None = None
    """Documents that came after that run began, which it may not know; 10,000 means so many or more."""
    turned: float | None = None
    """Share of its separate runs that answer the question otherwise; above 0 the answer rests on few votes."""
    topic: QuestionTopic | None = None
    """The topic of the question, whose reliabilities counted if it is `used`; null without topics, and if unwanted."""
    stop_reason: str
    """The reason why the selection of sources ended."""
    notes: tuple[str, ...] = ()
    """Notes to read before you rely on the answer, e.g. that no estimation exists yet."""
    usage: UsageView

    @property
    def is_doubtful(self) -> bool:
        """Whether it is an answer that is likelier wrong than right, by the share that is shown."""
        calibrated = self.calibrated_confidence
        shown = self.confidence if calibrated is None or calibrated.share is None else calibrated.share
        return self.outcome is Outcome.ANSWERED and shown < EVEN_CHANCE
