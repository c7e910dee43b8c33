-- Which vectors of an encoder are kept of a day?
INSERT INTO drift_day_samples BY NAME
SELECT $day::TIMESTAMP AS day, $model AS model, $dimension AS dimension, *
FROM sampled_query_vectors($model, $dimension, $day::TIMESTAMP, $day::TIMESTAMP + INTERVAL 1 DAY, most_of_day());
