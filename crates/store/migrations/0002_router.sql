-- A plan may make several calls, one for each locked route; a media plan has a job that outlives its host.

ALTER TABLE plans ADD COLUMN mode TEXT NOT NULL DEFAULT 'single';
-- What the work needs beside the prompt: parameters of a picture, a template, a workflow. Wiped with the prompt.
ALTER TABLE plans ADD COLUMN work TEXT;

ALTER TABLE ledger_reserved ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_reserved ADD COLUMN role TEXT NOT NULL DEFAULT 'primary';
CREATE UNIQUE INDEX ledger_reserved_once ON ledger_reserved (plan_id, ordinal);
CREATE INDEX ledger_reserved_by_model ON ledger_reserved (provider, model, at);

-- A reservation whose call was never made.
CREATE TABLE ledger_released (
    reserved_id  INTEGER PRIMARY KEY REFERENCES ledger_reserved (id),
    at           INTEGER NOT NULL
) STRICT;
CREATE TRIGGER ledger_released_keeps_rows BEFORE UPDATE ON ledger_released
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_released_keeps_all_rows BEFORE DELETE ON ledger_released
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- The job of a picture or film at its provider, kept before anybody waits for it.
CREATE TABLE media_jobs (
    plan_id       TEXT PRIMARY KEY REFERENCES plans (plan_id),
    handle        TEXT NOT NULL,
    submitted_at  INTEGER NOT NULL
) STRICT;

-- The last good list of each provider, and how the last try went.
CREATE TABLE catalogue_lists (
    provider   TEXT PRIMARY KEY,
    listing    TEXT,
    listed_at  INTEGER,
    tried_at   INTEGER NOT NULL,
    problem    TEXT
) STRICT;

-- The newest observation of each quota. `quota_window` says which: `requests_day`, `balance`, …
CREATE TABLE quota_observations (
    provider      TEXT NOT NULL,
    quota_window  TEXT NOT NULL,
    limit_value   TEXT,
    remaining     TEXT,
    unit          TEXT NOT NULL,
    resets_at     INTEGER,
    source        TEXT NOT NULL,
    confidence    TEXT NOT NULL,
    observed_at   INTEGER NOT NULL,
    PRIMARY KEY (provider, quota_window)
) STRICT;
