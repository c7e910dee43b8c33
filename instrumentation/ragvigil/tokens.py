"""Answer tokens: what an application gives its client, so that feedback can name the answer from anywhere.

`rv1.<payload>.<signature>`, both base64url without padding. The payload is compact JSON `{t, s, a, n}`: trace id, span
id, answer id, start in nanoseconds. The signature is the first 16 bytes of HMAC-SHA256 over the text before it. A
client can read a token and cannot make one.
"""

import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from ragvigil.feedback_event import AnswerReference, TokenError

VERSION: Final = "rv1"
MAX_TOKEN: Final = 1024
"""Characters; ours have about 250."""
_SIGNATURE_BYTES: Final = 16
_FORM: Final = re.compile(rf"({VERSION}\.([A-Za-z0-9_-]+))\.([A-Za-z0-9_-]{{22}})", re.ASCII)
_UNREADABLE: Final = "token: the payload cannot be read"
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))
_TRACE_ID: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_SPAN_ID: Final = re.compile(r"[0-9a-f]{16}", re.ASCII)


def signed(answer: AnswerReference, key: bytes) -> str:
    """The token of an answer."""
    payload = {
        "t": answer.trace_id,
        "s": answer.span_id,
        "a": answer.answer_id,
        "n": answer.started_at_unix_nano,
    }
    said = f"{VERSION}.{_base64(_COMPACT.encode(payload).encode())}"
    return f"{said}.{_signature(said, key)}"


def verified(token: object, key: bytes) -> AnswerReference:
    """The answer that a token names; raises TokenError for one that was not made with `key`."""
    if not isinstance(token, str):
        raise TokenError("token: expected text")
    if len(token) > MAX_TOKEN:
        raise TokenError(f"token: more than {MAX_TOKEN} characters")
    parts = _FORM.fullmatch(token)
    if parts is None:
        raise TokenError(f"token: not of the form {VERSION}.<payload>.<signature>, or cut short")
    said, payload, signature = parts.groups()
    if not hmac.compare_digest(_signature(said, key), signature):
        raise TokenError("token: the signature is wrong: forged, changed, or made with another secret_key")
    return _reference(payload)


def _signature(said: str, key: bytes) -> str:
    return _base64(hmac.digest(key, said.encode(), "sha256")[:_SIGNATURE_BYTES])


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _reference(payload: str) -> AnswerReference:
    """What a payload says; checked although it was signed, since another version of ours may have signed it."""
    try:
        said = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        reference = AnswerReference(said["t"], said["s"], said["a"], said["n"])
    except (ValueError, TypeError, KeyError) as failure:
        raise TokenError(_UNREADABLE) from failure
    if not _is_sound(*reference):
        raise TokenError(_UNREADABLE)
    return reference


def _is_sound(trace_id: object, span_id: object, answer_id: object, started_at: object) -> bool:
    return (
        isinstance(trace_id, str)
        and _TRACE_ID.fullmatch(trace_id) is not None
        and isinstance(span_id, str)
        and _SPAN_ID.fullmatch(span_id) is not None
        and isinstance(answer_id, str)
        and type(started_at) is int
        and 0 <= started_at < 1 << 63
    )
