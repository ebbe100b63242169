-- 2026-11-21: runtimes, artifacts, versions of models, answers.
--
-- The types are those that SQLite and PostgreSQL both take. Days are texts, YYYY-MM-DD; digests are 32 bytes.

CREATE TABLE runtimes (
    name TEXT PRIMARY KEY,
    profile TEXT NOT NULL,
    digest BYTEA NOT NULL,
    devices BIGINT NOT NULL,
    since TEXT NOT NULL
);

CREATE TABLE artifacts (
    digest BYTEA PRIMARY KEY,
    size BIGINT NOT NULL,
    made_from BYTEA
);

CREATE TABLE versions (
    model TEXT NOT NULL,
    number BIGINT NOT NULL,
    artifact BYTEA NOT NULL,
    file TEXT NOT NULL,
    published TEXT NOT NULL,
    PRIMARY KEY (model, number)
);

-- What a runtime says to an artifact. The key is a digest of the artifact, the runtime and who judged; the body
-- is kept once for all that say the same.
CREATE TABLE answers (
    key BYTEA PRIMARY KEY,
    day TEXT,
    body BYTEA NOT NULL
);

CREATE TABLE bodies (
    digest BYTEA PRIMARY KEY,
    text BYTEA NOT NULL
);
