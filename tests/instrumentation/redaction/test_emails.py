"""E-mail addresses in any script, and what only looks like one."""

import pytest

from ragvigil.redaction import common

redacted = common("email")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail john.doe+shop@mail.example.com.", "mail [e-mail]."),
        ("<jane_o'neil@example.co.uk>, a@b.de", "<[e-mail]>, [e-mail]"),
        ('"John Doe"@example.com is odd', "[e-mail] is odd"),
        ("root@[192.168.0.1] and me@[2001:db8::1]", "[e-mail] and [e-mail]"),
        ("mailto:jane@example.com?subject=x", "mailto:[e-mail]?subject=x"),
        ("邮箱是zhang@example.com谢谢", "邮箱是[e-mail]谢谢"),
        ("メールはtaro@example.co.jpです", "メールは[e-mail]です"),
        ("kim@example.com으로 보내", "[e-mail]으로 보내"),
        ("иван@пример.рф пишет", "[e-mail] пишет"),
        ("用户@例子.公司", "[e-mail]"),
        ("müller@exämple.de", "[e-mail]"),
        ("البريد ali@example.com شكرا", "البريد [e-mail] شكرا"),
        ("full\uff20example.com", "[e-mail]"),
        ("a@b.com@c.com", "[e-mail]@c.com"),
        ("x" * 500 + "@example.com", "[e-mail]"),
    ],
    ids=str,
)
def test_an_address_is_replaced(text: str, expected: str) -> None:
    assert redacted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "@",
        "a@",
        "@b.com",
        "a @ b.com",
        "@handle says",
        "react@18.2.0",
        "5@3.14",
        "user@localhost",
        "A@B.C",
        "a@.com",
        "@@@",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert redacted(text) == text
