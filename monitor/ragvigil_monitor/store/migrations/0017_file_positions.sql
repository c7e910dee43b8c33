-- Up to where each file that others write is stored, told in the transaction that stores it. A file keeps its inode when it
-- is renamed. tail: SHA-256 of the bytes before the position; where they differ, it is another file by now, or was emptied.
CREATE TABLE file_positions (
    folder VARCHAR NOT NULL,
    inode VARCHAR NOT NULL,
    position BIGINT NOT NULL,
    tail VARCHAR NOT NULL,
    stored_at TIMESTAMP NOT NULL,
    PRIMARY KEY (folder, inode)
);
