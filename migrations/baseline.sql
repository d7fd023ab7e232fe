-- The schema of revision 0049, whole; migrations go on from there. The names of constraints and indexes are those that
-- PostgreSQL gives, which are the naming convention of the models too.

-- An extension that an administrator has installed needs no right to create it.
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE corpora (
    id uuid PRIMARY KEY,
    name varchar NOT NULL UNIQUE,
    description varchar NOT NULL,
    text_search varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    daily_questions bigint,
    max_documents bigint,
    max_stored_bytes bigint,
    use_gold boolean NOT NULL DEFAULT true,
    generate_queries boolean NOT NULL DEFAULT true,
    asked_queries integer NOT NULL DEFAULT 200,
    answers varchar NOT NULL DEFAULT 'one' CHECK (answers IN ('one', 'several', 'number'))
);

CREATE TABLE sources (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    external_id varchar NOT NULL,
    name varchar NOT NULL,
    url varchar,
    description varchar NOT NULL,
    attributes jsonb NOT NULL,
    status varchar NOT NULL CHECK (status IN ('active', 'paused', 'retired')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    allowed_groups text[],
    UNIQUE (corpus_id, external_id)
);
CREATE INDEX ON sources (corpus_id, id);
CREATE INDEX ON sources (corpus_id, name);

CREATE TABLE answers (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    question varchar NOT NULL,
    parameters jsonb NOT NULL,
    status varchar NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    outcome varchar,
    estimation_id uuid,
    result jsonb,
    problem jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    key_id uuid,
    follows_id uuid,
    typed varchar,
    viewer_groups text[],
    made_of uuid[]
);
CREATE INDEX ON answers (corpus_id, id);

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    corpus_id uuid REFERENCES corpora ON DELETE CASCADE,
    name varchar NOT NULL,
    prefix varchar NOT NULL,
    secret_hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    daily_model_calls bigint,
    daily_tokens bigint,
    daily_questions bigint,
    max_documents bigint,
    max_stored_bytes bigint,
    previous_secret_hash bytea UNIQUE,
    previous_secret_ends_at timestamptz,
    last_used_at timestamptz,
    allowed_addresses text[] NOT NULL DEFAULT '{}',
    sources text[],
    source_prefix varchar,
    groups text[]
);
CREATE INDEX ON api_keys (corpus_id, id);

CREATE TABLE audit_events (
    id uuid PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    actor varchar NOT NULL,
    key_id uuid,
    key_name varchar,
    address varchar,
    request_id varchar,
    action varchar NOT NULL,
    corpus_id uuid,
    resource_id uuid NOT NULL,
    before jsonb,
    after jsonb
);
CREATE INDEX ON audit_events (corpus_id, id);
CREATE INDEX ON audit_events (created_at);

CREATE TABLE browser_sessions (
    token_hash bytea PRIMARY KEY,
    key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX ON browser_sessions (expires_at);
CREATE INDEX ON browser_sessions (key_id);

CREATE TABLE corpus_questions (
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    day date NOT NULL,
    questions bigint NOT NULL,
    PRIMARY KEY (corpus_id, day)
);

CREATE TABLE documents (
    id uuid PRIMARY KEY,
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    external_id varchar NOT NULL,
    title varchar NOT NULL,
    url varchar,
    media_type varchar NOT NULL,
    content varchar NOT NULL,
    content_hash bytea NOT NULL,
    published_at timestamptz,
    attributes jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    size integer NOT NULL DEFAULT 0,
    key_id uuid,
    allowed_groups text[],
    revision integer NOT NULL DEFAULT 1,
    UNIQUE (source_id, external_id)
);
CREATE INDEX documents_groups_idx ON documents (source_id) WHERE allowed_groups IS NOT NULL;
CREATE INDEX documents_changes_idx ON documents (source_id, updated_at);
CREATE INDEX ON documents (key_id, size) WHERE key_id IS NOT NULL;
CREATE INDEX ON documents (source_id, id);
CREATE INDEX ON documents (source_id, size);

CREATE TABLE embedding_space (
    single boolean PRIMARY KEY CHECK (single),
    embedder varchar NOT NULL,
    dimension integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE estimations (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    schedule_id uuid,
    trigger varchar NOT NULL,
    status varchar NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    cancel_requested boolean NOT NULL DEFAULT false,
    parameters jsonb NOT NULL,
    reader varchar,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    problem jsonb,
    queries_total integer NOT NULL,
    queries_collected integer NOT NULL,
    sources_total integer NOT NULL,
    readings_made integer NOT NULL,
    readings_cached integer NOT NULL,
    readings_failed integer NOT NULL,
    votes_total integer NOT NULL,
    method varchar,
    labels integer,
    rounds integer,
    converged boolean,
    stop_reason varchar,
    reason varchar,
    prior double precision,
    prior_lower double precision,
    prior_upper double precision,
    voices jsonb NOT NULL DEFAULT '[]',
    state jsonb,
    topics jsonb NOT NULL DEFAULT '[]',
    gold_queries integer NOT NULL DEFAULT 0,
    source_ids uuid[],
    conditions bytea,
    carried_from uuid,
    readings_carried integer NOT NULL DEFAULT 0,
    corpus_state bytea,
    doubt varchar,
    joint_dissents jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX ON estimations (corpus_id, id);
CREATE UNIQUE INDEX estimations_one_active_key ON estimations (corpus_id) WHERE status IN ('queued', 'running');

CREATE TABLE estimation_centroids (
    estimation_id uuid NOT NULL REFERENCES estimations ON DELETE CASCADE,
    number integer NOT NULL,
    query_count integer NOT NULL,
    shares jsonb NOT NULL,
    embedding halfvec NOT NULL,
    PRIMARY KEY (estimation_id, number)
);

CREATE TABLE estimation_pieces (
    id uuid PRIMARY KEY,
    estimation_id uuid NOT NULL REFERENCES estimations ON DELETE CASCADE,
    queries jsonb NOT NULL
);
CREATE INDEX ON estimation_pieces (estimation_id);

CREATE TABLE estimation_queries (
    estimation_id uuid NOT NULL REFERENCES estimations ON DELETE CASCADE,
    query_id uuid NOT NULL,
    query_text varchar NOT NULL,
    collected_at timestamptz NOT NULL DEFAULT now(),
    answer varchar,
    margin double precision,
    tied boolean,
    vote_count integer NOT NULL,
    topic integer,
    gold_used boolean NOT NULL DEFAULT false,
    turned real,
    several boolean NOT NULL DEFAULT false,
    PRIMARY KEY (estimation_id, query_id)
);

CREATE TABLE estimation_sources (
    estimation_id uuid NOT NULL REFERENCES estimations ON DELETE CASCADE,
    source_id uuid NOT NULL,
    source_name varchar NOT NULL,
    reliability double precision NOT NULL,
    weight double precision NOT NULL,
    vote_count integer NOT NULL,
    abstention_count integer NOT NULL,
    lower double precision,
    upper double precision,
    voice integer,
    turned_at timestamptz,
    periods jsonb NOT NULL DEFAULT '[]',
    topics jsonb NOT NULL DEFAULT '[]',
    rating double precision,
    rating_strength double precision,
    agreement_count integer,
    conflict_count integer,
    misread_count integer,
    read_share double precision,
    systematic double precision,
    sensitivity double precision,
    specificity double precision,
    PRIMARY KEY (estimation_id, source_id)
);
CREATE INDEX ON estimation_sources (source_id, estimation_id);

CREATE TABLE evaluations (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    estimation_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    report jsonb NOT NULL
);
CREATE INDEX ON evaluations (corpus_id, id);

CREATE TABLE events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject_id uuid NOT NULL,
    kind varchar NOT NULL,
    data jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON events (subject_id, id);

CREATE TABLE idempotent_requests (
    scope varchar NOT NULL,
    key varchar NOT NULL,
    request_hash bytea NOT NULL,
    status integer,
    headers jsonb,
    response bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, key)
);

CREATE TABLE key_spending (
    key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    day date NOT NULL,
    model_calls bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    questions bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (key_id, day)
);

CREATE TABLE misreading_verdicts (
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    reading_id uuid NOT NULL,
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    question varchar NOT NULL,
    answer varchar NOT NULL,
    verdict varchar NOT NULL CHECK (verdict IN ('confirmed', 'rejected')),
    created_by varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (corpus_id, reading_id)
);
CREATE INDEX ON misreading_verdicts (source_id);

CREATE TABLE overrides (
    source_id uuid PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    reliability double precision NOT NULL CHECK (reliability BETWEEN 0 AND 1),
    reason varchar NOT NULL,
    created_by varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE passages (
    source_id uuid NOT NULL,
    document_id uuid NOT NULL,
    ordinal integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    content varchar NOT NULL,
    embedding halfvec NOT NULL,
    lexemes tsvector NOT NULL,
    signature bytea,
    heading varchar NOT NULL DEFAULT '',
    -- With the embedding in the key, the exact search of a source reads nothing but its part of the index.
    PRIMARY KEY (source_id, document_id, ordinal) INCLUDE (embedding)
) PARTITION BY HASH (source_id);
-- Before there are partitions, which inherit it: neither is worth compressing.
ALTER TABLE passages ALTER embedding SET STORAGE PLAIN, ALTER lexemes SET STORAGE MAIN;
-- Searches in the index alone need a table that was vacuumed of late.
DO $$
BEGIN
    FOR remainder IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE passages_p%s PARTITION OF passages FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH '
            '(autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
            lpad(remainder::text, 2, '0'), remainder
        );
    END LOOP;
END
$$;
CREATE INDEX ON passages USING gin (lexemes);

CREATE TABLE queries (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    external_id varchar NOT NULL,
    text varchar NOT NULL,
    gold_answers jsonb,
    attributes jsonb NOT NULL,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    topic varchar,
    subject_key varchar,
    relation varchar,
    origin varchar NOT NULL DEFAULT 'given',
    provenance jsonb,
    answers varchar CHECK (answers IN ('one', 'several', 'number')),
    UNIQUE (corpus_id, external_id)
);
CREATE INDEX ON queries (corpus_id, id);
CREATE INDEX queries_text_idx ON queries USING hash (text);
CREATE INDEX queries_words_idx ON queries USING gin (to_tsvector('simple', text));

CREATE TABLE gold_entries (
    id uuid PRIMARY KEY,
    query_id uuid NOT NULL REFERENCES queries ON DELETE CASCADE,
    answers_before jsonb,
    answers_after jsonb,
    actor varchar NOT NULL,
    created_by varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    undone_at timestamptz
);
CREATE INDEX ON gold_entries (query_id, id);

CREATE TABLE rate_counts (
    kind varchar NOT NULL,
    subject varchar NOT NULL,
    minute bigint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (kind, subject, minute)
);
CREATE INDEX ON rate_counts (minute);

CREATE TABLE ratings (
    source_id uuid PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    rating double precision NOT NULL CHECK (rating BETWEEN 0 AND 1),
    strength double precision NOT NULL CHECK (strength > 0),
    origin varchar NOT NULL,
    created_by varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE readings (
    reader varchar NOT NULL,
    prompt_hash bytea NOT NULL,
    passages_hash bytea NOT NULL,
    answer varchar,
    raw varchar NOT NULL,
    confidence double precision,
    model_calls integer NOT NULL,
    input_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    milliseconds double precision NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    passage integer,
    start_offset integer,
    end_offset integer,
    reason varchar,
    corpus_id uuid,
    source_id uuid,
    PRIMARY KEY (reader, prompt_hash, passages_hash)
);
CREATE INDEX ON readings (corpus_id, source_id);

CREATE TABLE schedules (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    name varchar NOT NULL,
    cron varchar NOT NULL,
    timezone varchar NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    parameters jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (corpus_id, name)
);

CREATE TABLE connectors (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    name varchar NOT NULL,
    kind varchar NOT NULL,
    config jsonb NOT NULL,
    schedule_id uuid REFERENCES schedules ON DELETE SET NULL,
    key_id uuid,
    status varchar CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
    run integer NOT NULL DEFAULT 0,
    report jsonb,
    problem jsonb,
    started_at timestamptz,
    finished_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    interrupted integer NOT NULL DEFAULT 0,
    reading varchar,
    UNIQUE (corpus_id, name)
);
CREATE INDEX ON connectors (corpus_id, id);

CREATE TABLE connector_documents (
    connector_id uuid NOT NULL REFERENCES connectors ON DELETE CASCADE,
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    location varchar NOT NULL,
    run integer NOT NULL,
    PRIMARY KEY (connector_id, document_id)
);
CREATE INDEX ON connector_documents (connector_id, location);
CREATE INDEX ON connector_documents (document_id);

CREATE TABLE connector_locations (
    connector_id uuid NOT NULL REFERENCES connectors ON DELETE CASCADE,
    location varchar NOT NULL,
    version varchar,
    etag varchar,
    last_modified varchar,
    content_hash bytea,
    set_aside boolean NOT NULL DEFAULT false,
    PRIMARY KEY (connector_id, location)
);

CREATE TABLE schedule_ticks (
    schedule_id uuid NOT NULL REFERENCES schedules ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    estimation_id uuid,
    skipped_because varchar,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (schedule_id, due_at)
);

CREATE TABLE schema_compatibility (
    oldest_code varchar NOT NULL
);

CREATE TABLE stated_values (
    corpus_id uuid NOT NULL,
    source_id uuid NOT NULL,
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    ordinal integer NOT NULL,
    subject varchar NOT NULL,
    subject_key varchar NOT NULL,
    relation varchar NOT NULL,
    value varchar NOT NULL,
    PRIMARY KEY (document_id, source_id, ordinal)
);
CREATE INDEX stated_values_about_idx ON stated_values (corpus_id, subject_key, relation, source_id);

CREATE TABLE votes (
    estimation_id uuid NOT NULL REFERENCES estimations ON DELETE CASCADE,
    query_id uuid NOT NULL,
    source_id uuid NOT NULL,
    status varchar NOT NULL,
    answer varchar,
    answer_key varchar,
    alignment double precision,
    document_ids jsonb NOT NULL,
    published_at timestamptz,
    confidence double precision,
    stated boolean NOT NULL DEFAULT false,
    reading_id uuid,
    misread real,
    imported boolean NOT NULL DEFAULT false,
    PRIMARY KEY (estimation_id, query_id, source_id)
);

CREATE TABLE query_generations (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    schedule_id uuid,
    status varchar NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
    parameters jsonb NOT NULL,
    report jsonb NOT NULL,
    problem jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz
);
CREATE INDEX ON query_generations (corpus_id, id);
CREATE UNIQUE INDEX query_generations_one_active_key ON query_generations (corpus_id)
    WHERE status IN ('queued', 'running');

CREATE TABLE searched_documents (
    document_id uuid PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    content_hash bytea NOT NULL,
    tried integer NOT NULL,
    exhausted boolean NOT NULL
);

CREATE TABLE latest_time (
    id smallint PRIMARY KEY,
    time timestamptz NOT NULL,
    CONSTRAINT latest_time_one_check CHECK (id = 1)
);

CREATE TABLE document_contradictions (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    question varchar NOT NULL,
    answer varchar NOT NULL,
    quote varchar NOT NULL,
    other_document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    other_source_id uuid NOT NULL,
    other_answer varchar NOT NULL,
    other_quote varchar NOT NULL,
    probability double precision NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON document_contradictions (corpus_id, id);
CREATE INDEX ON document_contradictions (document_id);
CREATE INDEX ON document_contradictions (other_document_id);

CREATE TABLE imported_votes (
    id uuid PRIMARY KEY,
    query_id uuid NOT NULL REFERENCES queries ON DELETE CASCADE,
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    answer varchar NOT NULL,
    voted_at timestamptz,
    confidence double precision CHECK (confidence BETWEEN 0 AND 1),
    external_id varchar,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (query_id, source_id)
);
CREATE INDEX ON imported_votes (corpus_id, id);
CREATE INDEX ON imported_votes (source_id);

CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    url varchar NOT NULL,
    events varchar[] NOT NULL,
    secret varchar NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    disabled_because varchar,
    failing_since timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON webhooks (corpus_id, id);

CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    type varchar NOT NULL,
    data jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    status varchar NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    problem varchar,
    finished_at timestamptz
);
CREATE INDEX ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_pending_idx ON webhook_deliveries (id) WHERE status = 'pending';

CREATE TABLE joined_answers (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    question varchar NOT NULL,
    answers jsonb NOT NULL,
    actor varchar NOT NULL,
    created_by varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    undone_at timestamptz
);
CREATE INDEX ON joined_answers (corpus_id, id);
CREATE INDEX joined_answers_question_idx ON joined_answers USING hash (question);

CREATE TABLE answer_shares (
    id uuid PRIMARY KEY,
    corpus_id uuid NOT NULL REFERENCES corpora ON DELETE CASCADE,
    answer_id uuid NOT NULL REFERENCES answers ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    key_id uuid,
    actor varchar NOT NULL,
    created_by varchar NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX ON answer_shares (corpus_id, id);
CREATE INDEX ON answer_shares (answer_id);

CREATE TABLE begun_jobs (
    name varchar NOT NULL,
    subject_id uuid NOT NULL,
    times integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, subject_id)
);

CREATE TABLE document_revisions (
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    revision integer NOT NULL,
    title varchar NOT NULL,
    url varchar,
    media_type varchar NOT NULL,
    content varchar NOT NULL,
    published_at timestamptz,
    attributes jsonb NOT NULL,
    allowed_groups text[],
    stored_at timestamptz NOT NULL,
    replaced_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, revision)
);

INSERT INTO schema_compatibility VALUES ('0049');
INSERT INTO corpora (id, name, description, text_search)
    VALUES (gen_random_uuid(), 'default', 'The corpus that exists from the start.', 'english');
