-- Forget how far the queue is.
DELETE FROM judge_queues;
