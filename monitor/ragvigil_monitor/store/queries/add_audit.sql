-- Somebody did something.
INSERT INTO audit (happened_at, role, actor, action, subject)
VALUES ($happened_at, $role, $actor, $action, $subject);
