-- A question can be answered in more than one way.
ALTER TABLE approvals ADD COLUMN variants TEXT NOT NULL DEFAULT '[]';
ALTER TABLE approvals ADD COLUMN variant TEXT;

-- Sessions of the worker: one for each conversation of a client.
CREATE TABLE worker_sessions (
    key             TEXT PRIMARY KEY,
    -- Where the key comes from.
    source          TEXT NOT NULL,
    client          TEXT NOT NULL,
    client_version  TEXT,
    mode            TEXT NOT NULL,
    -- States of the gate, of what may leave, of the policy's counts and of the checks by the model, as JSON.
    gate            TEXT NOT NULL,
    disclosure      TEXT NOT NULL,
    run_policy      TEXT NOT NULL,
    leak_check      TEXT NOT NULL,
    -- The memory that was compacted, scrubbed.
    summary         TEXT NOT NULL,
    compactions     INTEGER NOT NULL,
    last_compaction INTEGER,
    -- Keys that this session had before the client said which conversation it is.
    previous_keys   TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    last_seen_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX worker_sessions_by_use ON worker_sessions (last_seen_at);

-- What was asked and answered, as it left.
CREATE TABLE worker_turns (
    session      TEXT NOT NULL REFERENCES worker_sessions (key) ON UPDATE CASCADE ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    id           TEXT NOT NULL,
    -- Whether the summary holds it already.
    is_compacted INTEGER NOT NULL,
    turn         TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT;
CREATE UNIQUE INDEX worker_turns_by_id ON worker_turns (session, id);

-- Stored materials; the text lies in a file of its own.
CREATE TABLE worker_artifacts (
    session    TEXT NOT NULL REFERENCES worker_sessions (key) ON UPDATE CASCADE ON DELETE CASCADE,
    reference  TEXT NOT NULL,
    file       TEXT NOT NULL,
    source     TEXT NOT NULL,
    chars      INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    detail     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session, reference)
) STRICT;

-- The journal of each session's vault: appended to, read whole, and removed whole.
CREATE TABLE worker_vault (
    session TEXT NOT NULL REFERENCES worker_sessions (key) ON UPDATE CASCADE ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    line    TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT;

-- What each turn saved. Outlives its session, and holds no text.
CREATE TABLE worker_savings (
    session         TEXT NOT NULL,
    turn            TEXT NOT NULL,
    client          TEXT NOT NULL,
    at              INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    is_verbatim     INTEGER NOT NULL,
    is_error        INTEGER NOT NULL,
    gathered_chars  INTEGER NOT NULL,
    returned_chars  INTEGER NOT NULL,
    gathered_tokens INTEGER,
    returned_tokens INTEGER,
    PRIMARY KEY (session, turn)
) STRICT;
CREATE INDEX worker_savings_by_time ON worker_savings (at);
