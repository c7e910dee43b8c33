"""Rules of the house that no linter knows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT / "instrumentation", ROOT / "monitor", ROOT / "dashboards"]
STORE = ROOT / "monitor/ragvigil_monitor/store"
SQL = re.compile(
    r"^\s*(SELECT\b.+\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|WITH \w+ AS)\b",
    re.DOTALL | re.IGNORECASE,
)
WALL_CLOCK = re.compile(r"\b(datetime\.now|datetime\.utcnow|time\.time|time\.time_ns|date\.today)\(")
READS_THE_WALL_CLOCK = {
    "instrumentation/ragvigil/clock.py",
    "monitor/ragvigil_monitor/service.py",
    "dashboards/ragvigil_dashboards/oncall/session.py",
}


def sources() -> list[Path]:
    return sorted(file for package in PACKAGES for file in package.rglob("*.py"))


def strings(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def relative(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_sql_is_written_only_in_the_store() -> None:
    found = {
        relative(file) for file in sources() if STORE not in file.parents for text in strings(file) if SQL.match(text)
    }
    assert not found


def test_every_question_begins_with_a_sentence() -> None:
    silent = [file.name for file in (STORE / "queries").glob("*.sql") if not file.read_text().startswith("-- ")]
    assert not silent


def test_every_question_is_asked() -> None:
    asked = {text for file in sources() for text in strings(file)}
    unasked = {file.stem for file in (STORE / "queries").glob("*.sql")} - asked
    assert not unasked


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = sorted(int(file.name[:4]) for file in (STORE / "migrations").glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_only_the_edges_read_the_wall_clock() -> None:
    readers = {relative(file) for file in sources() if WALL_CLOCK.search(file.read_text(encoding="utf-8"))}
    assert readers <= READS_THE_WALL_CLOCK


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"])
def test_links_between_documents_lead_somewhere(document: str) -> None:
    files = [ROOT / document] if document.endswith(".md") else sorted((ROOT / document).rglob("*.md"))
    broken = [
        f"{file.name}: {target}"
        for file in files
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", file.read_text(encoding="utf-8"))
        if not (file.parent / target).exists()
    ]
    assert files
    assert not broken


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    long = {relative(file): count for file in sources() if (count := file.read_text().count("\n")) > 300}
    assert not long
