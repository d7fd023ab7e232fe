"""Passages, partitioned by source."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

PARTITIONS = 32


def upgrade() -> None:
    # An extension that an administrator has installed needs no right to create it.
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(
        """
        CREATE TABLE passages (
            source_id uuid NOT NULL,
            document_id uuid NOT NULL,
            ordinal integer NOT NULL,
            corpus_id uuid NOT NULL,
            start_offset integer NOT NULL,
            end_offset integer NOT NULL,
            content varchar NOT NULL,
            embedding halfvec NOT NULL,
            lexemes tsvector NOT NULL,
            CONSTRAINT passages_pkey PRIMARY KEY (source_id, document_id, ordinal)
        ) PARTITION BY HASH (source_id)
        """
    )
    for remainder in range(PARTITIONS):
        op.execute(
            f"CREATE TABLE passages_p{remainder:02d} PARTITION OF passages "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {remainder})"
        )


def downgrade() -> None:
    # The extension stays: others may use it, and removing it would need rights that an upgrade did not.
    op.drop_table("passages")
