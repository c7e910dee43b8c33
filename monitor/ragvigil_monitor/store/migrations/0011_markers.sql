-- What was seen and when first: kind is 'release', 'model', 'index', … (or 'measurement': what measures, such as a judge).
-- Replaces `releases`, which knew only one kind.

CREATE TABLE markers (
    kind VARCHAR NOT NULL,
    service VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    first_seen_at TIMESTAMP NOT NULL,
    PRIMARY KEY (kind, service, value)
);

INSERT INTO markers SELECT 'release', service, service_version, first_seen_at FROM releases;
DROP TABLE releases;
UPDATE job_watermarks SET job = 'markers' WHERE job = 'releases';
UPDATE job_problems SET job = 'markers' WHERE job = 'releases';
