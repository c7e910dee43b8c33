-- Which retrievals belong to the answers of a time range, and where does each stand in the relevance review?
SELECT
    trace_id, span_id, started_at, retrieval_span_id, probe_trace_id, probe_span_id, probe_started_at,
    sampling_probability, standing
FROM retrievals_to_review($start::TIMESTAMP, $end::TIMESTAMP, $matures_h::BIGINT);
