"""One generic webhook: signed JSON by POST.

Headers: `X-Ragvigil-Delivery` is the idempotency key; `X-Ragvigil-Timestamp` the Unix time of the attempt in seconds;
`X-Ragvigil-Signature` is `v1=` and the hex HMAC-SHA256, keyed with the shared secret, over timestamp, a full stop and
the body. A receiver refuses old timestamps and signatures that do not match. Any 2xx means delivered.
"""

import hashlib
import hmac
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx

from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.guardrails.notifiers.notifier import Notification, Notifier, Outcome
from ragvigil_monitor.settings import Settings, Webhook


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The value of `X-Ragvigil-Signature`.

    >>> signature("a secret of sixteen", 1700000000, b"{}")[:11]
    'v1=9e0f98fb'
    """
    signed = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1={signed.hexdigest()}"


def send(settings: Settings, notification: Notification, now: datetime) -> Outcome:
    """One attempt; redirects are not followed, since they could lead the alert to anyone."""
    hook = _configured(settings)
    try:
        status, retry_after = _post(hook, notification, int(now.timestamp()))
    except httpx.TimeoutException:
        return Outcome(error=f"no answer within {hook.timeout_s:g} s")
    except (httpx.HTTPError, httpx.InvalidURL) as failure:
        return Outcome(error=f"{type(failure).__name__}: {failure}")
    if 200 <= status < 300:
        return Outcome()
    return Outcome(error=f"the receiver answered {status}", retry_after_s=_seconds(retry_after, now))


def _configured(settings: Settings) -> Webhook:
    if settings.notify.webhook is None:
        raise ConfigurationError("notify.webhook: is not set, but a webhook was to be called")
    return settings.notify.webhook


def _post(hook: Webhook, notification: Notification, timestamp: int) -> tuple[int, str | None]:
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ragvigil",
        "X-Ragvigil-Delivery": notification.delivery_id,
        "X-Ragvigil-Timestamp": str(timestamp),
        "X-Ragvigil-Signature": signature(hook.secret.get_secret_value(), timestamp, notification.body),
    }
    with (
        httpx.Client(timeout=hook.timeout_s, follow_redirects=False) as client,
        client.stream("POST", hook.url, content=notification.body, headers=headers) as response,
    ):
        return response.status_code, response.headers.get("Retry-After")


def _seconds(retry_after: str | None, now: datetime) -> float | None:
    """Both forms of Retry-After (RFC 9110, section 10.2.3); None for anything else."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - now).total_seconds())
    except (ValueError, TypeError):
        return None


WEBHOOK = Notifier(
    name="webhook",
    enabled=lambda settings: settings.notify.webhook is not None,
    send=send,
    max_attempts=lambda settings: _configured(settings).max_attempts,
)
