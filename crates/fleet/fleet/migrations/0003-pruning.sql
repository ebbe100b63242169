-- 2026-11-21: what runtimes were before, versions that are retired, artifacts that are taken away.

-- What a runtime was from a day on. One without a profile was taken out on that day.
CREATE TABLE profiles (
    name TEXT NOT NULL,
    number BIGINT NOT NULL,
    since TEXT NOT NULL,
    profile TEXT,
    digest BYTEA,
    devices BIGINT NOT NULL,
    PRIMARY KEY (name, number)
);

INSERT INTO profiles (name, number, since, profile, digest, devices)
    SELECT name, 1, since, profile, digest, devices FROM runtimes;

-- The day from which on a version is delivered to nobody.
ALTER TABLE versions ADD COLUMN retired TEXT;

-- The day on which nothing referred to it any more. It is then in the depot for some days, and after that not.
ALTER TABLE artifacts ADD COLUMN gone TEXT;

-- The answers that name an artifact that a conversion made: of what, for which profile, and who judged. That is not
-- known of the answers before this day, so they are forgotten, and given again when somebody asks.
DELETE FROM answers;

DELETE FROM bodies;

CREATE TABLE made (
    key BYTEA PRIMARY KEY,
    source BYTEA NOT NULL,
    profile BYTEA NOT NULL,
    judge TEXT NOT NULL,
    result BYTEA NOT NULL
);

CREATE INDEX made_by_result ON made (result);

CREATE INDEX versions_by_artifact ON versions (artifact);

-- Artifacts that nothing refers to since a day, and that are about to be taken out of the depot.
CREATE TABLE doomed (
    digest BYTEA PRIMARY KEY,
    size BIGINT NOT NULL,
    day TEXT NOT NULL
);
