"""The ready redactor: e-mail addresses, phone numbers, payment cards and secrets, each by what it looks like."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["secret", "email", "card", "phone"]
"""What `common` can take out."""
Find: TypeAlias = Callable[[str], str]

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def common(*kinds: Kind) -> Callable[[str], str]:
    """A redactor for the usual: `[secret]`, `[e-mail]`, `[card]` and `[phone]` stand for what was there.

    Without arguments it takes out all kinds: `email` addresses, `phone` numbers, payment `card` numbers whose check
    digit is right (ISO/IEC 7812), and `secret`: private keys, API keys of known make, JSON web tokens, bearer tokens,
    passwords in addresses and what is assigned to a name such as `api_key`. It works in any script, by form alone:
    names, postal addresses and the like stay. Its time is linear in the length of the text.

    Raises ValueError for a kind that there is not.
    """
    unknown = [kind for kind in kinds if kind not in _KINDS]
    if unknown:
        raise ValueError(f"kinds: got {unknown[0]!r}; expected some of {', '.join(_KINDS)}")
    finds = _finds()
    return _Common(tuple([finds[kind] for kind in _KINDS if kind in kinds or not kinds]))


class _Common:
    """Takes out one kind after the other; secrets first, since an address may hold a password."""

    __slots__ = ("_finds",)
    __qualname__ = "common"

    def __init__(self, finds: tuple[Find, ...]) -> None:
        self._finds = finds

    def __call__(self, text: str) -> str:
        for find in self._finds:
            text = find(text)
        return text


def _finds() -> Mapping[Kind, Find]:
    from ragvigil.redaction import cards, emails, phones, secrets  # their patterns cost what few processes need

    return {"secret": secrets.redacted, "email": emails.redacted, "card": cards.redacted, "phone": phones.redacted}
