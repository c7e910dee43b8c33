-- Does the store take writes? Changes nothing.
UPDATE ingest_counts SET items = items WHERE false;
