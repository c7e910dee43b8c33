-- Whether the attributes of a span hold the text of a document. Inside a value the quotation mark behind the name would
-- be escaped, so that no text can look like it.
CREATE MACRO records_text(attributes) AS regexp_matches(
    attributes::VARCHAR,
    '"(retrieval\.documents|reranker\.(input|output)_documents)\.\d{1,6}\.document\.content"\s*:\s*"[^"]'
);

-- Every retrieval of the answers of a time range, and where it stands in the relevance review: in a stratum
-- ('filter_probe', 'unfiltered') or, with the reason, in none. sampling_probability is that with which the answer was
-- recorded, times the share that is probed where there is a probe. A retrieval belongs to its answer if it starts within
-- an hour of it; a probe counts if it starts before its answer's hour is decided, which is matures_h after that ends.
-- Without the text of any document there is nothing to judge.
CREATE MACRO retrievals_to_review(window_start, window_end, matures_h) AS TABLE
WITH asked AS (
    SELECT
        trace_id,
        span_id,
        started_at,
        sampling_probability,
        date_trunc('hour', started_at) + to_hours(1 + matures_h) AS decided_at
    FROM answers
    WHERE started_at >= window_start AND started_at < window_end
),
searches AS (
    SELECT
        trace_id,
        answer_span_id,
        span_id,
        started_at,
        lower(hex(trace_id)) || '-' || lower(hex(span_id)) AS probe_id,
        coalesce(filter_state, 'unknown') = 'unknown'
            OR (filter_state <> 'none' AND json_type(filter_clauses) IS DISTINCT FROM 'ARRAY') AS is_unknown,
        coalesce(list_contains(json_extract_string(filter_clauses, '$[*].role'), 'relevance'), false) AS is_filtered,
        json_array_length(output_documents) AS documents,
        records_text(attributes) AS has_text
    FROM spans
    WHERE started_at >= window_start AND started_at < window_end + INTERVAL 1 HOUR
        AND stage = 'retrieve' AND probe_id IS NULL AND answer_span_id IS NOT NULL
),
-- Of the searches of a probe, the outermost.
probes AS (
    SELECT
        probe_id,
        trace_id AS probe_trace_id,
        span_id AS probe_span_id,
        started_at AS probe_started_at,
        status = 'error' AS is_failed,
        TRY_CAST(attributes ->> '$."ragvigil.sampling.probability"' AS DOUBLE) AS share,
        json_array_length(output_documents) AS documents,
        records_text(attributes) AS has_text
    FROM spans
    WHERE started_at >= window_start AND started_at < window_end + to_hours(matures_h)
        AND stage = 'retrieve' AND probe_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY probe_id ORDER BY started_at, parent_span_id NULLS FIRST, span_id) = 1
)
SELECT
    asked.trace_id,
    asked.span_id,
    asked.started_at,
    searches.span_id AS retrieval_span_id,
    probes.probe_trace_id,
    probes.probe_span_id,
    probes.probe_started_at,
    asked.sampling_probability * if(searches.is_filtered, probes.share, 1.0) AS sampling_probability,
    CASE
        WHEN searches.is_unknown THEN 'filter_unknown'
        WHEN searches.is_filtered AND probes.probe_id IS NULL THEN 'not_probed'
        WHEN searches.is_filtered AND probes.is_failed THEN 'probe_failed'
        WHEN searches.is_filtered AND NOT coalesce(probes.share > 0 AND probes.share <= 1, false)
            THEN 'probe_share_unknown'
        WHEN searches.documents IS NULL OR (searches.is_filtered AND probes.documents IS NULL)
            THEN 'documents_not_recorded'
        WHEN searches.documents + if(searches.is_filtered, probes.documents, 0) = 0 THEN 'documents_not_found'
        WHEN NOT (coalesce(searches.has_text, false) OR (searches.is_filtered AND coalesce(probes.has_text, false)))
            THEN 'texts_not_recorded'
        WHEN searches.is_filtered THEN 'filter_probe'
        ELSE 'unfiltered'
    END AS standing
FROM asked
INNER JOIN searches
    ON searches.trace_id = asked.trace_id AND searches.answer_span_id = asked.span_id
    AND searches.started_at >= asked.started_at AND searches.started_at < asked.started_at + INTERVAL 1 HOUR
LEFT JOIN probes ON probes.probe_id = searches.probe_id AND probes.probe_started_at < asked.decided_at;

-- How far a review is depends on the moment that is asked about, which a view cannot be told.
DROP VIEW review_standing;
