-- Work that repeats. A text is kept as keyed digests only: no word of a prompt is in these tables.
CREATE TABLE workflow_patterns (
    signature      TEXT PRIMARY KEY,
    task           TEXT NOT NULL,
    is_named       INTEGER NOT NULL,
    occurrences    INTEGER NOT NULL,
    successes      INTEGER NOT NULL,
    -- The tool that came of it, also when that tool was deleted: what a person removed is not made again.
    tool           TEXT,
    -- The whole pattern as JSON, with its digests.
    pattern        TEXT NOT NULL,
    first_seen_at  INTEGER NOT NULL,
    last_seen_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX workflow_patterns_by_task ON workflow_patterns (task, is_named, occurrences, last_seen_at);
CREATE INDEX workflow_patterns_by_count ON workflow_patterns (occurrences, last_seen_at);

-- One row for each run that was counted, whatever its plan did inside.
CREATE TABLE workflow_observations (
    run_mark     TEXT PRIMARY KEY,
    signature    TEXT NOT NULL REFERENCES workflow_patterns (signature),
    task         TEXT NOT NULL,
    is_success   INTEGER NOT NULL,
    observed_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX workflow_observations_by_pattern ON workflow_observations (signature, observed_at);

-- The index of the tool library: a copy of what its files say, brought up to date whenever they say something else.
CREATE TABLE library_index (
    id          INTEGER PRIMARY KEY,
    slug        TEXT NOT NULL UNIQUE,
    -- A digest of everything that this row and its texts are made of.
    content     TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    status      TEXT NOT NULL,
    task        TEXT NOT NULL,
    -- Words without their endings: of the name, and of everything.
    name_words  TEXT NOT NULL,
    words       TEXT NOT NULL,
    -- Everything in lower case, for parts of words.
    plain       TEXT NOT NULL,
    confidence  INTEGER NOT NULL,
    evidence    INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX library_index_by_status ON library_index (status);

-- `words` stands beside the texts for languages whose endings the porter rules do not know.
CREATE VIRTUAL TABLE library_words USING fts5 (
    name, description, tags, triggers, task, words,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Any three characters in a row, for parts of words and for scripts without blanks.
CREATE VIRTUAL TABLE library_pieces USING fts5 (plain, tokenize = 'trigram');
