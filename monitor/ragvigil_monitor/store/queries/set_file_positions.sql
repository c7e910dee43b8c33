-- Up to where are these files stored? A batch holds each file once.
INSERT INTO file_positions BY NAME SELECT *, $stored_at::TIMESTAMP AS stored_at FROM batch
ON CONFLICT (folder, inode) DO UPDATE SET
    position = excluded.position, tail = excluded.tail, stored_at = excluded.stored_at;
