"""What made the spans of each service, and what they leave out."""

from typing import Any

import pytest

from ragvigil_dashboards.figures.instrumentation_table import instrumentation_table, made_by, verdict_of
from ragvigil_dashboards.instrumentation_models import Instrumentation, Library

NOTHING: dict[str, Any] = {name: 0 for name in Instrumentation.model_fields if name not in {"service", "libraries"}}


def service(**values: Any) -> Instrumentation:
    return Instrumentation.model_validate({**NOTHING, "service": "shop", "libraries": [], **values})


def library(name: str = "openinference.instrumentation.langchain", version: str | None = "0.1", spans: int = 1) -> Any:
    return Library(library=name, version=version, spans=spans)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"answers": 3}, "All told"),
        ({"answers": 3, "documents_without_id": 1}, "Gaps"),
        ({"answers": 3, "filters_unknown": 1}, "Gaps"),
        ({"answers": 3, "retrievals_without_documents": 1}, "Gaps"),
        ({}, "No answers"),
    ],
)
def test_a_service_has_a_verdict(values: dict[str, int], word: str) -> None:
    assert verdict_of(service(**values)).word == word


def test_a_row_shows_libraries_and_documents_without_id() -> None:
    shown = instrumentation_table([service(documents_without_id=1234, spans=9, libraries=[library(spans=9)])])
    for said in ("1234", "openinference.instrumentation.langchain 0.1: 9", "Gaps"):
        assert said in shown
    assert "Ragvigil" not in shown


def test_searches_and_documents_are_told_apart() -> None:
    shown = instrumentation_table([service(retrievals=8, retrievals_without_documents=7, documents_without_id=16)])
    for said in ("Searches: no documents", '<td class="num">7</td>', "Documents without id", '<td class="num">16</td>'):
        assert said in shown


def test_the_rest_of_the_spans_is_said() -> None:
    assert made_by([library("a", None, 2)], 5) == ["a: 2", "Ragvigil and unknown libraries: 3"]


def test_many_libraries_are_cut_short() -> None:
    assert made_by([library(f"x{number}") for number in range(9)], 9)[-1] == "3 more"


def test_names_of_libraries_are_not_markup() -> None:
    assert "<script" not in instrumentation_table([service(libraries=[library("<script>alert(1)</script>")])])
