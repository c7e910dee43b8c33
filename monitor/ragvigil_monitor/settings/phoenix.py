"""Settings of an Arize Phoenix that runs beside Ragvigil."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PositiveInt, SecretStr

from ragvigil_monitor.settings.section import Section


def _address(url: str) -> str:
    """The address without a slash at its end; ValueError for anything but http(s)://host[:port][/path]."""
    parts = urlsplit(url)
    port = parts.port  # raises ValueError where it is no number of a port
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise ValueError("an address begins with http:// or https:// and a host, like http://localhost:6006")
    if "@" in parts.netloc:
        raise ValueError("an address holds no name or password; set phoenix.api_key instead")
    if parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise ValueError("an address ends with its path; it has no query, fragment or blank")
    return url.rstrip("/")


def _header_text(key: SecretStr) -> SecretStr:
    """A key that can be sent in a header."""
    text = key.get_secret_value()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("a key is printable ASCII without blanks")
    return key


Address = Annotated[str, AfterValidator(_address)]
Key = Annotated[SecretStr, AfterValidator(_header_text)]


class Phoenix(Section):
    """Where a share of the traces goes, and what people said of them."""

    url: Address | None = Field(
        None, description="Address of Phoenix, like http://localhost:6006; null: nothing is sent."
    )
    public_url: Address | None = Field(None, description="Its address for browsers, in links; null: the same.")
    api_key: Key | None = Field(None, description="Key of Phoenix, if it asks for one; better set by environment.")
    project: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Project of the spans that name none themselves; null: the name of their service.",
    )
    share: float = Field(0.1, gt=0, le=1, description="Share of the traces that is sent, whole, by a hash of their id.")
    timeout_s: float = Field(10.0, gt=0, le=60, description="How long one attempt may wait for Phoenix.")
    max_waiting_requests: PositiveInt = Field(
        1000, description="Requests that wait for Phoenix; beyond it the oldest are dropped and counted."
    )
    max_waiting_bytes: PositiveInt = Field(64 * 2**20, description="Bytes that wait for Phoenix, in the same way.")
