-- Remove notifications from before a time of which nothing more will become.
DELETE FROM deliveries WHERE created_at < $before AND state <> 'pending';
