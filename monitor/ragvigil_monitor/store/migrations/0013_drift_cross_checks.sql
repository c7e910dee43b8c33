-- What another implementation says of a permutation test in drift_evidence, on the same vectors with the same kernel.
-- difference: builtin MMD² less mmd2. p: of permutations of its own.
CREATE TABLE drift_cross_checks (
    window_end TIMESTAMP NOT NULL,
    window_s INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    dimension INTEGER NOT NULL,
    backend VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    mmd2 DOUBLE NOT NULL,
    p DOUBLE NOT NULL,
    permutations INTEGER NOT NULL,
    difference DOUBLE NOT NULL,
    checked_at TIMESTAMP NOT NULL,
    PRIMARY KEY (window_end, window_s, model, dimension)
);
