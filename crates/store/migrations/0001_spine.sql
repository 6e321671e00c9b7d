-- Times are Unix milliseconds, money is pico-dollars, tokens are kept as SHA-256 only.

CREATE TABLE plans (
    plan_id                  TEXT PRIMARY KEY,
    plan_token_hash          BLOB NOT NULL UNIQUE,
    confirmation_token_hash  BLOB UNIQUE,
    state                    TEXT NOT NULL,
    uses                     INTEGER NOT NULL DEFAULT 0 CHECK (uses IN (0, 1)),
    task                     TEXT NOT NULL,
    quality                  TEXT NOT NULL,
    reasoning_effort         TEXT,
    client                   TEXT NOT NULL,
    session                  TEXT NOT NULL,
    tool_name                TEXT,
    prompt                   TEXT,
    system_prompt            TEXT,
    prompt_hash              TEXT NOT NULL,
    prompt_characters        INTEGER NOT NULL,
    provider                 TEXT NOT NULL,
    model                    TEXT NOT NULL,
    billing_class            TEXT NOT NULL,
    routes                   TEXT NOT NULL,
    excluded                 TEXT NOT NULL,
    requires_confirmation    INTEGER NOT NULL,
    approval_id              TEXT,
    estimated_input_tokens   INTEGER NOT NULL,
    max_output_tokens        INTEGER NOT NULL,
    max_cost_pico_usd        INTEGER,
    cost_pico_usd            INTEGER,
    created_at               INTEGER NOT NULL,
    expires_at               INTEGER NOT NULL,
    approved_at              INTEGER,
    started_at               INTEGER,
    finished_at              INTEGER,
    answer                   TEXT
) STRICT;
CREATE INDEX plans_by_time ON plans (created_at);
CREATE INDEX plans_by_state ON plans (state, expires_at);

-- The ledger is two append-only tables: what was reserved before a call, and how the call ended.
CREATE TABLE ledger_reserved (
    id                  INTEGER PRIMARY KEY,
    plan_id             TEXT NOT NULL REFERENCES plans (plan_id),
    at                  INTEGER NOT NULL,
    client              TEXT NOT NULL,
    session             TEXT NOT NULL,
    task                TEXT NOT NULL,
    provider            TEXT NOT NULL,
    model               TEXT NOT NULL,
    billing_class       TEXT NOT NULL,
    reserved_pico_usd   INTEGER
) STRICT;
CREATE INDEX ledger_reserved_by_provider ON ledger_reserved (provider, at);
CREATE INDEX ledger_reserved_by_time ON ledger_reserved (at);

CREATE TABLE ledger_settled (
    reserved_id     INTEGER PRIMARY KEY REFERENCES ledger_reserved (id),
    at              INTEGER NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('ok', 'error')),
    error_code      TEXT,
    input_tokens    INTEGER,
    output_tokens   INTEGER,
    cached_tokens   INTEGER,
    usage_reported  INTEGER NOT NULL,
    cost_pico_usd   INTEGER,
    latency_ms      INTEGER NOT NULL
) STRICT;

CREATE TABLE approvals (
    id              TEXT PRIMARY KEY,
    arrival         INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    merge_key       TEXT NOT NULL,
    title           TEXT NOT NULL,
    client          TEXT NOT NULL,
    session         TEXT NOT NULL,
    asker           TEXT NOT NULL,
    detail          TEXT NOT NULL,
    consequence     TEXT NOT NULL,
    is_serious      INTEGER NOT NULL,
    offers          TEXT NOT NULL,
    code            TEXT NOT NULL,
    count           INTEGER NOT NULL DEFAULT 1,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    outcome         TEXT,
    outcome_reason  TEXT,
    decided_at      INTEGER,
    decided_by      TEXT
) STRICT;
CREATE UNIQUE INDEX approvals_open ON approvals (merge_key) WHERE outcome IS NULL;
CREATE INDEX approvals_by_arrival ON approvals (arrival);

CREATE TABLE audit (
    seq        INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    actor      TEXT NOT NULL,
    session    TEXT,
    action     TEXT NOT NULL,
    object     TEXT,
    decision   TEXT,
    detail     TEXT NOT NULL,
    prev_hash  BLOB NOT NULL,
    hash       BLOB NOT NULL
) STRICT;

CREATE TABLE settings (
    key         TEXT PRIMARY KEY,
    value       TEXT NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER audit_keeps_rows BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_all_rows BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER ledger_reserved_keeps_rows BEFORE UPDATE ON ledger_reserved
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_reserved_keeps_all_rows BEFORE DELETE ON ledger_reserved
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_settled_keeps_rows BEFORE UPDATE ON ledger_settled
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_settled_keeps_all_rows BEFORE DELETE ON ledger_settled
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
