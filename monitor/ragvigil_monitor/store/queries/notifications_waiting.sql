-- Is any alert silenced, or any notification not sent yet?
SELECT
    EXISTS (FROM alerts WHERE state = 'silenced') OR EXISTS (FROM deliveries WHERE state = 'pending') AS waiting;
