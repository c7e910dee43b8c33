"""Addresses that are shown: whatever is wrong with them, no secret of theirs is."""

import pytest

import ragvigil
from ragvigil.addresses import without_secrets

SECRET = "s3cr3t"
READABLE = [
    f"http://user:{SECRET}@h:1/v1",
    f"http://{SECRET}@h",
    f"http://h/v1?token={SECRET}",
    f"http://h/v1?token=a@{SECRET}",
    f"http://h/v1#{SECRET}",
    f"http://user:7/{SECRET}@h",
    f"http://user:7?{SECRET}@h",
    f"http://user:7#{SECRET}@h",
]
UNREADABLE = [
    f"http://user:x/{SECRET}@h",
    f"http://user:{SECRET}@[::1",
    f"http://user:{SECRET}@",
    f"http://user:{SECRET}@h:0",
    f"http://user:{SECRET}@h:99999",
    f"ftp://user:{SECRET}@h",
    f"user:{SECRET}@h:4318",
    f"user:{SECRET}://@h:4318",
    f"h:4318?token={SECRET}",
]


@pytest.mark.parametrize("address", READABLE + UNREADABLE)
def test_no_secret_is_shown(address: str) -> None:
    assert SECRET not in without_secrets(address)


@pytest.mark.parametrize("address", UNREADABLE)
def test_a_refused_endpoint_does_not_tell_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`configure` raises at start-up, and that ends up in logs."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    with pytest.raises(ValueError, match="OTEL_EXPORTER_OTLP_ENDPOINT: got") as refused:
        ragvigil.configure()
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://user:x@h:1/v1/traces?a=b", "http://h:1/v1/traces"),
        ("https://[::1]:4318/v1", "https://[::1]:4318/v1"),
        ("http://u@h", "http://h"),
        ("monitor:4318", "monitor:4318"),
        ("http://[::1", "http://[::1"),
        ("http://u@h:99999", "http://(hidden)"),
        ("u@h", "(hidden)"),
        ("", ""),
    ],
)
def test_the_rest_is(address: str, shown: str) -> None:
    assert without_secrets(address) == shown


def test_an_endpoint_that_is_no_text_is_refused_in_the_same_way() -> None:
    with pytest.raises(ValueError, match=r"endpoint: got \(hidden\); expected"):
        ragvigil.configure(endpoint=f"http://user:{SECRET}@h".encode())  # type: ignore[arg-type]
