"""Secrets by their form and by the name that they are assigned to; ordinary talk about keys and passwords stays."""

import pytest

from ragvigil.redaction import common

redacted = common("secret")

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQ+/==\n"
BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "secret",
    [
        JWT,
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ASIA" + "Q1W2E3R4T5Y6U7I8",
        "sk-proj-" + "abcDEF1234567890abcd",
        "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_" + "11ABCDEFG0abcdefghij_klmnopqrstuvwxyz",
        "glpat-" + "abcdefghij0123456789",
        "xoxb-" + "123456789012-abcdefABCDEF",
        "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
        "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz",
        "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789",
        BLOCK,
        BLOCK.replace("RSA ", ""),
        BLOCK.replace("RSA ", "OPENSSH "),
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nxyz\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
)
def test_what_has_the_form_of_a_secret_is_replaced(secret: str) -> None:
    assert redacted(f"use {secret}, please") == "use [secret], please"
    assert redacted(f"密钥是{secret}。") == "密钥是[secret]。"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Authorization: Bearer {JWT}", "Authorization: Bearer [secret]"),
        ("authorization: basic dXNlcjpwYXNzd29yZDEyMw==", "authorization: basic [secret]"),
        ("OPENAI_API_KEY=0123456789abcdef0123", "OPENAI_API_KEY=[secret]"),
        ('{"api_key": "0123456789abcdef0123"}', '{"api_key": "[secret]"}'),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [secret]"),
        ("https://x.example/?token=abcdefgh12345678&page=1", "https://x.example/?token=[secret]&page=1"),
        ("postgres://app:hunter2@db.example/shop", "postgres://app:[secret]@db.example/shop"),
        ("redis://:hunter2@cache", "redis://:[secret]@cache"),
        ("password: hunter22", "password: [secret]"),
        ("PASSWORD=geheim", "PASSWORD=[secret]"),
        ("my password is hunter22.", "my password is [secret]"),
        ("mein Passwort lautet geheim7!", "mein Passwort lautet [secret]"),
        ("la contraseña es abc123", "la contraseña es [secret]"),
        ("пароль: qwerty12", "пароль: [secret]"),
        ("密码：abc12345", "密码：[secret]"),
        ("İ password: hunter22 İ", "İ password: [secret] İ"),
        ("Cookie: 0123456789abcdef0123", "Cookie: [secret]"),
    ],
)
def test_what_is_assigned_to_a_telling_name_is_replaced(text: str, expected: str) -> None:
    assert redacted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BLOCK[:60] + "\n" + BODY, "[secret]"),
        (f"{BODY}-----END PRIVATE KEY-----\nafter", "[secret]\nafter"),
        (f"{BLOCK} and {BLOCK}", "[secret] and [secret]"),
        (BLOCK.replace("\n", "\\n"), "[secret]"),
    ],
    ids=["end cut off", "beginning cut off", "two", "escaped"],
)
def test_private_keys_in_parts(text: str, expected: str) -> None:
    assert redacted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "How do I reset my password?",
        "password: required",
        "The password is required.",
        "The key is in the drawer",
        "Which token limits apply: 4096 or 8192?",
        "a secret: nobody knows",
        "sk-learn-style-pipelines-are-nice",
        "basic understanding-of-something",
        "https://example.com:8080/path@2x.png",
        "3f2a9c0d1e4b5a6f7c8d9e0f1a2b3c4d",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "KEY FIGURES: 2019 to 2021",
        "eyJust a word.",
        "PRIVATE KEY",
        "the answer token rv1 is signed",
        "monkey: see",
        "https://example.com/pkg/pypi-charset-normalizer?utm_source=pypi-charset-normalizer",
        "",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redacted(text) == text
