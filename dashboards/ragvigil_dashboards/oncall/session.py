"""What every page needs from Streamlit: the client, the reader, and inert drawing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from ragvigil_dashboards.client import Body, Client, ClientError, HttpApi, Parameters
from ragvigil_dashboards.figures.empty import problem
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup

DEFAULT_URL = "http://127.0.0.1:4318"
CACHED_S = 4


class CachedApi:
    """The service at `url`, asked at most once in a few seconds for the same thing, by all sessions together."""

    def __init__(self, url: str, key: str) -> None:
        self._where = (url, key)

    def get(self, path: str, parameters: Parameters) -> bytes:
        """GET, from the cache if it is fresh."""
        return _get(*self._where, path, tuple(sorted(parameters.items())))

    def post(self, path: str, body: Body) -> bytes:
        """POST; what was cached before it may be out of date."""
        answer = _api(*self._where).post(path, body)
        _get.clear()
        return answer


def client() -> Client:
    """The client of the service named in the environment."""
    return Client(CachedApi(os.environ.get("RAGVIGIL_API_URL", DEFAULT_URL), os.environ.get("RAGVIGIL_API_KEY", "")))


def reader() -> Reader:
    """Who reads, now, in the zone of their browser; UTC where it is not known."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return Reader(datetime.now(UTC), zone)


def style() -> None:
    """Give the page its look."""
    st.html(Path(__file__).with_name("style.css"))


def show(markup: Markup) -> None:
    """Draw HTML that `markup.tag` made."""
    st.html(markup)


@contextmanager
def problems_shown() -> Iterator[None]:
    """Show a failure of the service in place of the rest of the block."""
    try:
        yield
    except ClientError as failure:
        show(problem(str(failure)))


@st.cache_resource(show_spinner=False, max_entries=8)
def _api(url: str, key: str) -> HttpApi:
    return HttpApi(url, key)


@st.cache_data(ttl=CACHED_S, show_spinner=False, max_entries=256)
def _get(url: str, key: str, path: str, parameters: tuple[tuple[str, str | int], ...]) -> bytes:
    return _api(url, key).get(path, dict(parameters))
