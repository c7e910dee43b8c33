-- Whose silence is over?
UPDATE alerts
SET state = CASE WHEN acknowledged_at IS NULL THEN 'firing' ELSE 'acknowledged' END
WHERE state = 'silenced' AND silenced_until <= $now;
