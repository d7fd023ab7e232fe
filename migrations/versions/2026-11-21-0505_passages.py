"""Passages, partitioned by source."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

PARTITIONS = 16


def upgrade() -> None:
    # An extension that an administrator has installed needs no right to create it.
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(
        """
        CREATE TABLE passages (
            source_id uuid NOT NULL,
            document_id uuid NOT NULL,
            ordinal integer NOT NULL,
            start_offset integer NOT NULL,
            end_offset integer NOT NULL,
            content varchar NOT NULL,
            embedding halfvec NOT NULL,
            lexemes tsvector NOT NULL,
            -- With the embedding in the key, the exact search of a source reads nothing but its part of the index.
            CONSTRAINT passages_pkey PRIMARY KEY (source_id, document_id, ordinal) INCLUDE (embedding)
        ) PARTITION BY HASH (source_id)
        """
    )
    # Before there are partitions, which inherit it: neither is worth compressing.
    op.execute("ALTER TABLE passages ALTER embedding SET STORAGE PLAIN, ALTER lexemes SET STORAGE MAIN")
    for remainder in range(PARTITIONS):
        # Searches in the index alone need a table that was vacuumed of late.
        op.execute(
            f"CREATE TABLE passages_p{remainder:02d} PARTITION OF passages "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {remainder}) "
            "WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)"
        )
    op.execute("CREATE INDEX passages_lexemes_idx ON passages USING gin (lexemes)")


def downgrade() -> None:
    # The extension stays: others may use it, and removing it would need rights that an upgrade did not.
    op.drop_table("passages")
