"""Phone and card numbers among the many other numbers that texts hold."""

import random

import pytest

from ragvigil.redaction import common
from ragvigil.redaction.cards import is_card

phones = common("phone")
cards = common("card")


@pytest.mark.parametrize(
    "number",
    [
        "+49 30 901820",
        "+49 (0)30 90-18 20",
        "(+1) 555-123-4567",
        "+1 (555) 123-4567",
        "+4915112345678",
        "0049 30 901820",
        "030 1234567",
        "(030) 1234567",
        "030/1234567",
        "0151-23456789",
        "020 7946 0958",
        "07911 123456",
        "07911123456",
        "01 23 45 67 89",
        "01.23.45.67.89",
        "03-1234-5678",
        "555-123-4567",
        "(555) 123-4567",
        "555.123.4567",
        "1-800-555-0199",
        "13812345678",
        "138 1234 5678",
        "+34 612 345 678",
        "+91-98765-43210",
        "٠٣٠ ١٢٣٤٥٦٧",
        "\uff0b81 3 1234 5678",
        "０９０-１２３４-５６７８",
    ],
)
def test_a_phone_number_is_replaced(number: str) -> None:
    assert phones(f"reach me: {number}, please") == "reach me: [phone], please"


@pytest.mark.parametrize(
    "text",
    [
        "tel: 612 345 678",
        "Telefon 1234567",
        "call me at 5551234",
        "móvil 612345678",
        "电话：12345678",
        "тел. 495 123 45 67",
    ],
)
def test_any_number_is_one_after_a_word_that_says_so(text: str) -> None:
    replaced = phones(text)
    assert replaced.endswith("[phone]")
    assert not any(character.isdigit() for character in replaced)


@pytest.mark.parametrize(
    "text",
    [
        "in 1914-1918 and 1939-1945",
        "2021-01-15 10:30:00",
        "01.02.2003 10:15",
        "01-02-2003",
        "1,234,567,890 people",
        "1.234.567.890 Euro",
        "7 000 000 000 km2",
        "12 345 678",
        "ISBN 978-3-16-148410-0",
        "ISBN 0-306-40615-2",
        "192.168.100.200",
        "3.14159265358979",
        "0.123456789",
        "order 5551234567",
        "id 12345678901234",
        "AB0301234567",
        "pages 123-145, 150-165",
        "1 2 3 4 5 6 7 8 9 10",
        "1700000000000000000",
        "version 10.0.19041.1234",
        "00:12:34.567890",
        "01 02 2003 10",
        "00000000000",
        "000 000 000",
    ],
)
def test_other_numbers_are_no_phone(text: str) -> None:
    assert phones(text) == text


VISA, AMEX, LONG = "4111111111111111", "378282246310005", "6304000000000000000"


@pytest.mark.parametrize(
    "number",
    [
        VISA,
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4111.1111.1111.1111",
        "4111\u00a01111\u00a01111\u00a01111",
        AMEX,
        "3782 822463 10005",
        "5555555555554444",
        "2223003122003222",
        "6011111111111117",
        "3530111333300000",
        "30569309025904",
        "4222222222222",
        "41111111 11111111",
        "٤١١١١١١١١١١١١١١١",
        "４１１１ １１１１ １１１１ １１１１",
    ],
)
def test_a_card_number_is_replaced(number: str) -> None:
    assert cards(f"card {number} exp 12/27") == "card [card] exp 12/27"
    assert cards(f"12 {number} 2027") == "12 [card] 2027"


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",
        "1111111111111111",
        "0000000000000000",
        "411111111111",
        "41111111111111111111111",
        "1914 1918 1939 1945",
        "45126032-50b69880-b13f-11e8-9c2c-abd16c433495",
        "4111111111111111f",
        "2001 2002 2003 2004",
        "1700000000000000000",
        "12 34 56 78 90 12 34 56",
        "9" * 16,
    ],
)
def test_other_numbers_are_no_card(text: str) -> None:
    assert cards(text) == text


def test_one_wrong_digit_is_always_noticed() -> None:
    chance = random.Random(4)
    for _ in range(200):
        place = chance.randrange(1, 16)
        wrong = (int(VISA[place]) + chance.randrange(1, 10)) % 10
        assert is_card(VISA)
        assert not is_card(f"{VISA[:place]}{wrong}{VISA[place + 1 :]}")


def test_a_card_is_no_phone_and_two_are_two() -> None:
    assert common()(f"{VISA} {AMEX}, tel 030 1234567") == "[card] [card], tel [phone]"
