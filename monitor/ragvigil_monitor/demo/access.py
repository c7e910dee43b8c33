"""Who may read what: teams that see only some packages. This is entitlement, and nothing may relax it."""

from collections.abc import Mapping

from ragvigil.predicates import Clause, entitlement, eq

_DATA = """
array bisect builtins calendar collections csv datetime decimal difflib fractions functools heapq io itertools json
math numbers operator pathlib pickle random re sqlite3 statistics string struct time typing unicodedata zoneinfo
"""
_WEB = """
asyncio base64 builtins codecs collections concurrent contextlib email functools hashlib hmac html http io json
logging mimetypes pathlib queue re secrets select selectors smtplib socket socketserver ssl threading time typing
urllib uuid wsgiref xml xmlrpc zlib
"""
_QUALITY = """
ast bdb builtins cProfile collections contextlib dis doctest faulthandler inspect io logging os pathlib pdb profile
pstats re shutil subprocess symtable tempfile time timeit trace traceback tracemalloc types typing unittest warnings
"""

TEAMS: Mapping[str, frozenset[str] | None] = {
    "platform": None,
    "data": frozenset(_DATA.split()),
    "web": frozenset(_WEB.split()),
    "quality": frozenset(_QUALITY.split()),
}
"""The packages that each team may read; None: all."""

READERS_FIELD = "readers"
"""The metadata field of a document that lists the teams that may read it."""


def may_read(team: str, package: str) -> bool:
    """Whether a team may read a package."""
    packages = TEAMS[team]
    return packages is None or package in packages


def readers(package: str) -> tuple[str, ...]:
    """The teams that may read a package."""
    return tuple(team for team in TEAMS if may_read(team, package))


def entitlement_of(team: str) -> Clause:
    """What a member of `team` may read; KeyError for a team that does not exist."""
    if team not in TEAMS:
        raise KeyError(f"there is no team {team!r}")
    return entitlement(eq(READERS_FIELD, team))
