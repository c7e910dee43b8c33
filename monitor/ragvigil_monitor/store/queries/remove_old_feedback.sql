-- Remove feedback from before a time.
DELETE FROM feedback WHERE given_at < $before;
