-- 2026-11-21: tokens, audit log, uploads, jobs.
--
-- Moments are texts, 2026-11-21T20:15:00Z; they are for people, and nothing waits for them.

-- Who may ask the service. The secret itself is nowhere, only its digest.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash BYTEA NOT NULL,
    role TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT,
    revoked TEXT
);

-- What was changed or refused. A row about a change is written in the same step as the change.
CREATE TABLE audit (
    number BIGINT PRIMARY KEY,
    moment TEXT NOT NULL,
    who TEXT NOT NULL,
    request TEXT NOT NULL,
    act TEXT NOT NULL,
    subject TEXT NOT NULL,
    result TEXT NOT NULL
);

-- Artifacts on their way in. Of a folder, members is the list of its files.
CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    idempotency_key TEXT,
    model TEXT NOT NULL,
    file TEXT NOT NULL,
    digest BYTEA NOT NULL,
    size BIGINT NOT NULL,
    members TEXT,
    received BIGINT NOT NULL,
    version BIGINT,
    began TEXT NOT NULL,
    touched BIGINT NOT NULL
);

CREATE UNIQUE INDEX uploads_by_key ON uploads (owner, idempotency_key);

-- The pieces of an upload that have arrived, without gaps from the first byte on.
CREATE TABLE pieces (
    upload TEXT NOT NULL,
    start BIGINT NOT NULL,
    size BIGINT NOT NULL,
    blob TEXT NOT NULL,
    PRIMARY KEY (upload, start)
);

-- Work in the background. Who works on a job raises its beat again and again.
CREATE TABLE jobs (
    number BIGINT PRIMARY KEY,
    ask TEXT NOT NULL,
    who TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    beat BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    done BIGINT NOT NULL,
    total BIGINT NOT NULL,
    problem TEXT,
    created TEXT NOT NULL,
    started TEXT,
    finished TEXT
);

CREATE INDEX jobs_by_state ON jobs (state, number);
