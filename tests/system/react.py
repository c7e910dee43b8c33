"""A process that never made an answer and only passes feedback on, as a web backend would; prints whether it was taken.

usage: react.py RECEIVER SECRET TOKEN FEEDBACK_ID
"""

import sys
from datetime import UTC, datetime

import ragvigil


def main(receiver: str, secret: str, token: str, feedback_id: str) -> None:
    """React once."""
    ragvigil.configure(service_name="feedback", endpoint=receiver, secret_key=secret.encode())
    at = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    print(ragvigil.feedback("thumbs_down", token=token, reason="incomplete", feedback_id=feedback_id, at=at))
    if not ragvigil.flush(timeout_s=20):
        raise SystemExit("the receiver did not take it")


if __name__ == "__main__":
    main(*sys.argv[1:])
