-- Numbers that look random and are the same in every run: of answer i, its k-th.
CREATE OR REPLACE TEMP MACRO pick(i, n) AS (hash(i) % n)::BIGINT;
CREATE OR REPLACE TEMP MACRO chance(i, k) AS (hash(i * 64 + k) >> 11)::DOUBLE / 9007199254740992.0;
CREATE OR REPLACE TEMP MACRO bell(i, k) AS chance(i, k) + chance(i, k + 1) + chance(i, k + 2) - 1.5;
CREATE OR REPLACE TEMP MACRO trace_of(i) AS unhex(md5('t' || i::VARCHAR));
CREATE OR REPLACE TEMP MACRO span_of(i, place) AS unhex(left(md5(i::VARCHAR || 's' || place::VARCHAR), 16));
CREATE OR REPLACE TEMP MACRO service_of(i) AS ['shop', 'shop', 'shop', 'support', 'docs'][1 + (pick(i // 3, 5))];
CREATE OR REPLACE TEMP MACRO intent_of(i) AS
    ['how_to', 'how_to', 'how_to', 'error', 'error', 'billing', 'policy', 'other'][1 + (pick(i + 7, 8))];
CREATE OR REPLACE TEMP MACRO any_of(pool, i, k) AS pool[1 + (pick(i * 64 + k, len(pool)))];

-- What texts and lists of documents are put together from; each list is long enough not to repeat within a block.
CREATE OR REPLACE TEMP TABLE documents AS
SELECT
    k,
    '[' || string_agg('{"id":"module.function_' || (pick(k * 20 + d, 3000)) || '","score":' || round(chance(k * 20 + d, 1), 4) || '}', ',' ORDER BY d) || ']' AS found,
    '[' || string_agg('{"id":"module.function_' || (pick(k * 20 + d, 3000)) || '","score":' || round(chance(k * 20 + d, 2), 4) || '}', ',' ORDER BY d) FILTER (d < 5) || ']' AS kept,
    '["' || string_agg('module.function_' || (pick(k * 20 + d, 3000)), '","' ORDER BY d) FILTER (d < 5) || '"]' AS context
FROM range(4096) AS pool(k), range(20) AS place(d)
GROUP BY k;

CREATE OR REPLACE TEMP TABLE texts AS
SELECT k, string_agg(['install', 'parse', 'the', 'dates', 'with', 'format', 'library', 'configure', 'error', 'when', 'file', 'returns', 'order', 'limit', 'token', 'index'][1 + (pick(k * 40 + w, 16))], ' ' ORDER BY w) AS said
FROM range(4096) AS pool(k), range(40) AS place(w)
GROUP BY k;
