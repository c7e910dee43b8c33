"""Secrets: what has the form of a key or a token, and what is assigned to a name that says that it is one."""

import re
from typing import Final

from ragvigil.redaction import private_keys

PLACEHOLDER: Final = "[secret]"

_WEB_TOKEN: Final = re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+){0,3}", re.ASCII)
_PREFIXES: Final = (
    "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "gldt-", "xapp-", "xoxa-", "xoxb-", "xoxe-",
    "xoxp-", "xoxr-", "xoxs-", "hf_", "npm_", "pypi-AgE", "dop_v1_", "shpat_", "shpca_", "shppa_", "shpss_",
    "lin_api_", "whsec_", "nvapi-", "gsk_", "r8_", "ya29.", "SG.", "AGE-SECRET-KEY-", "dckr_pat_", "sq0atp-",
    "sq0csp-", "pat-na1-", "PMAK-", "tskey-",
)  # fmt: skip
_KEY_IDS: Final = ("ABIA", "ACCA", "AIDA", "AKIA", "AROA", "ASIA")
_SHORT_PREFIXES: Final = ("sk-", "sk_", "pk-", "pk_", "rk-", "rk_")
_MADE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    rf"(?:{'|'.join(_KEY_IDS)})[A-Z0-9]{{16}}(?![A-Za-z0-9])"
    r"|AIza[\w-]{30,}+"
    rf"|(?:{'|'.join(_SHORT_PREFIXES)})(?=[\w-]{{0,100}}\d)[\w-]{{16,}}+"
    rf"|(?:{'|'.join(map(re.escape, _PREFIXES))})[\w.-]{{16,}}+"
    r")",
    re.ASCII,
)
_SCHEME: Final = re.compile(r"(?:bearer|basic|token|apikey)[ \t]{1,5}\Z", re.IGNORECASE)
_LONGEST_SCHEME: Final = 11
_IN_ADDRESS: Final = re.compile(r"(://[^\s/@:]{0,100}+:)[^\s/@]{1,300}+(?=@)")
_PASSWORD_NAMES: Final = (
    "passw", "passphrase", "pwd", "contraseña", "kennwort", "mot de passe", "senha", "пароль", "密码", "密碼",
    "パスワード", "비밀번호",
)  # fmt: skip
_NAMES: Final = (
    "key", "secret", "token", "credential", "authorization", "clave", "session_id", "sessionid", "cookie",
    *_PASSWORD_NAMES,
)  # fmt: skip
_NAME: Final = re.compile("|".join(_NAMES))
_ASSIGNED: Final = re.compile(
    r"[\w-]{0,30}+[\"'`\])*]{0,2}+"
    r"\s{0,3}+(=>|:=|==?|[:\uff1a\uff1d]|(?:is|ist|lautet|es|est)(?=\s))\s{0,3}+[\"'`(\[*]{0,2}+"
    r"([^\s\"'`,;&<>()\[\]{}]{4,64}+)",
    re.IGNORECASE,
)
_REST: Final = re.compile(r"[^\s\"'`,;&<>()\[\]{}]*+")
_LONG_WORD: Final = re.compile(r"[\w.~+/-]{16,}+={0,2}", re.ASCII)
_DIGIT: Final = re.compile(r"\d")
_LONG: Final = 16
_SYMBOLS: Final = frozenset("!#$%^*+=@~_|\\/")


def redacted(text: str) -> str:
    """The text with every secret replaced; the name that it is assigned to stays."""
    if private_keys.MARK in text:
        text = private_keys.replaced(text, PLACEHOLDER)
    if "://" in text:
        text = _IN_ADDRESS.sub(rf"\1{PLACEHOLDER}", text)
    return _without_assigned(_LONG_WORD.sub(_in_word, text))


def _in_word(found: re.Match[str]) -> str:
    word, begin = found.group(), found.start()
    before = found.string[max(0, begin - _LONGEST_SCHEME) : begin]
    if _SCHEME.search(before) is not None and _has_digit(word):
        return PLACEHOLDER
    return _MADE.sub(PLACEHOLDER, _WEB_TOKEN.sub(PLACEHOLDER, word))


def _without_assigned(text: str) -> str:
    lowered = _lowered(text)
    parts: list[str] = []
    done = 0
    for name in _NAME.finditer(lowered):
        assigned = _ASSIGNED.match(text, name.end()) if name.start() >= done else None
        if assigned is not None and _is_secret(name.group(), *assigned.groups()):
            parts += (text[done : assigned.start(2)], PLACEHOLDER)
            done = _end_of_value(text, assigned.end())
    return "".join([*parts, text[done:]]) if parts else text


def _end_of_value(text: str, at: int) -> int:
    rest = _REST.match(text, at)
    return at if rest is None else rest.end()


def _lowered(text: str) -> str:
    """The text in lower case, each character in its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join([c.lower() if len(c.lower()) == 1 else c for c in text])


def _is_secret(name: str, sign: str, said: str) -> bool:
    """Whether a value is no ordinary word: long and with a digit; a password may be short, and any word in code."""
    value = said.rstrip(".:!?")
    has_digit = _has_digit(value)
    if name.startswith(_PASSWORD_NAMES):
        return has_digit or "=" in sign or not _SYMBOLS.isdisjoint(value)
    return has_digit and len(value) >= _LONG


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None
