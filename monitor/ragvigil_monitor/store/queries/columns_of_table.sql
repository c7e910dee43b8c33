-- Which columns does a table have, and of which types?
SELECT column_name, data_type
FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = 'main' AND table_name = $table_name
ORDER BY column_index;
