"""Wordings of answers that people joined, links that show an answer, and questions that follow up on one."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "joined_answers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("answers", postgresql.JSONB(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["corpus_id"], ["corpora.id"], name="joined_answers_corpus_id_fkey", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="joined_answers_pkey"),
    )
    op.create_index("joined_answers_corpus_id_id_idx", "joined_answers", ["corpus_id", "id"])
    op.create_index("joined_answers_question_idx", "joined_answers", ["question"], postgresql_using="hash")
    op.create_table(
        "answer_shares",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("corpus_id", sa.Uuid(), nullable=False),
        sa.Column("answer_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["corpus_id"], ["corpora.id"], name="answer_shares_corpus_id_fkey", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name="answer_shares_answer_id_fkey", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="answer_shares_pkey"),
        sa.UniqueConstraint("token_hash", name="answer_shares_token_hash_key"),
    )
    op.create_index("answer_shares_corpus_id_id_idx", "answer_shares", ["corpus_id", "id"])
    op.create_index("answer_shares_answer_id_idx", "answer_shares", ["answer_id"])
    op.add_column("answers", sa.Column("follows_id", sa.Uuid(), nullable=True))
    op.add_column("answers", sa.Column("typed", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("answers", "typed")
    op.drop_column("answers", "follows_id")
    op.drop_table("answer_shares")
    op.drop_table("joined_answers")
