"""A wrong address or key is refused where it is read, without being printed."""

from typing import Any

import pytest

from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.settings import Settings

BASE = "http://localhost:6006"


def refusal(**phoenix: Any) -> str:
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(phoenix=phoenix)
    return str(refused.value)


@pytest.mark.parametrize(
    "url", [BASE, "https://phoenix.example.org/below/a/path", "http://[::1]:6006", "http://10.0.0.7"]
)
def test_an_address_is_taken_without_its_last_slash(url: str) -> None:
    assert Settings.load(phoenix={"url": f"{url}/"}).phoenix.url == url


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("localhost:6006", "begins with http:// or https://"),
        ("", "begins with http:// or https://"),
        ("ftp://localhost", "begins with http:// or https://"),
        ("http://", "begins with http:// or https://"),
        ("http://:6006", "begins with http:// or https://"),
        ("http://localhost:0", "begins with http:// or https://"),
        ("http://localhost:66666", "Port out of range"),
        ("http://localhost:six", "could not be cast"),
        ("http://[::1", "Invalid IPv6"),
        (f"{BASE}/?a=b", "ends with its path"),
        (f"{BASE}/#a", "ends with its path"),
        (f"{BASE}/a b", "ends with its path"),
        (f"{BASE}/a\r\nX: y", "ends with its path"),
    ],
)
def test_what_is_no_address_is_refused(url: str, said: str) -> None:
    assert "phoenix.url: got" in refusal(url=url)
    assert said in refusal(url=url)


def test_a_password_in_an_address_is_refused_and_not_printed() -> None:
    said = refusal(url="http://me:hunter2@localhost:6006")
    assert "set phoenix.api_key instead" in said
    assert "hunter2" not in said


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_printed(key: str) -> None:
    said = refusal(url=BASE, api_key=key)
    assert "phoenix.api_key: got a value that is not shown" in said
    assert key == "" or key not in said


def test_a_key_is_not_printed() -> None:
    assert "px-secret" not in repr(Settings.load(phoenix={"url": BASE, "api_key": "px-secret"}))


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan"), "half"])
def test_a_share_that_is_none_is_refused(share: object) -> None:
    assert "phoenix.share: got" in refusal(url=BASE, share=share)


def test_the_environment_may_hold_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGVIGIL_PHOENIX__API_KEY", "px-secret")
    key = Settings.load(phoenix={"url": BASE}).phoenix.api_key
    assert key is not None
    assert key.get_secret_value() == "px-secret"
