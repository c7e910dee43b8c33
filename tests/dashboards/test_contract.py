"""What the pages read exists in the API, with a compatible type."""

from collections.abc import Iterator
from types import ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from ragvigil_dashboards import exclusion_models as evidence_read
from ragvigil_dashboards import feedback_models as read_of_feedback
from ragvigil_dashboards import instrumentation_models as read_of_instrumentation
from ragvigil_dashboards import judge_models as read_of_judges
from ragvigil_dashboards import models as read
from ragvigil_dashboards import review_models as read_by_reviewers
from ragvigil_monitor.api import exclusion_models as evidence_sent
from ragvigil_monitor.api import feedback_models, instrumentation_models, judge_models, review, review_models
from ragvigil_monitor.api import models as sent
from ragvigil_monitor.api.oncall import router


def models_of(module: ModuleType) -> list[type[BaseModel]]:
    return [
        model
        for model in vars(module).values()
        if isinstance(model, type) and issubclass(model, read.Read) and model is not read.Read
    ]


READ = models_of(read)


def differences(wanted: Any, given: Any, place: str) -> Iterator[str]:
    """Where a value of the type `given` could not be read as `wanted`."""
    wanted_kinds, given_kinds = alternatives(wanted), alternatives(given)
    if NoneType in given_kinds and NoneType not in wanted_kinds:
        yield f"{place} may be null"
    for kind in given_kinds - {NoneType}:
        if not any(not list(_of_one(option, kind, place)) for option in wanted_kinds - {NoneType}):
            yield from next((_of_one(option, kind, place) for option in wanted_kinds - {NoneType}), iter([place]))


def alternatives(annotation: Any) -> set[Any]:
    return set(get_args(annotation)) if get_origin(annotation) in {Union, UnionType} else {annotation}


def _of_one(wanted: Any, given: Any, place: str) -> Iterator[str]:
    if wanted is Any:
        return
    if get_origin(wanted) is not get_origin(given):
        yield f"{place} is {given}, not {wanted}"
    elif get_origin(wanted) is not None:
        for part, (inner, outer) in enumerate(zip(get_args(wanted), get_args(given), strict=True)):
            yield from differences(inner, outer, f"{place}[{part}]")
    elif isinstance(wanted, type) and issubclass(wanted, BaseModel):
        yield from fields_missing(wanted, given)
    elif not issubclass(given, wanted):
        yield f"{place} is {given.__name__}, not {wanted.__name__}"


def fields_missing(wanted: type[BaseModel], given: type[BaseModel]) -> Iterator[str]:
    """What a page's model needs and the API's lacks."""
    for name, field in wanted.model_fields.items():
        place = f"{wanted.__name__}.{name}"
        if name not in given.model_fields:
            yield f"{place} is not sent"
        else:
            yield from differences(field.annotation, given.model_fields[name].annotation, place)


@pytest.mark.parametrize("model", READ, ids=lambda model: model.__name__)
def test_every_field_that_a_page_reads_is_sent(model: type[BaseModel]) -> None:
    assert list(fields_missing(model, getattr(sent, model.__name__))) == []


@pytest.mark.parametrize("model", models_of(evidence_read), ids=lambda model: model.__name__)
def test_every_field_that_the_evidence_page_reads_is_sent(model: type[BaseModel]) -> None:
    assert list(fields_missing(model, getattr(evidence_sent, model.__name__))) == []


@pytest.mark.parametrize("name", ["JudgeCalibration", "JudgeInfo"])
def test_every_field_that_a_page_reads_of_judges_is_sent(name: str) -> None:
    assert list(fields_missing(getattr(read_of_judges, name), getattr(judge_models, name))) == []


@pytest.mark.parametrize("name", ["ReviewEvidence", "ReviewItem", "ReviewProgress", "Served"])
def test_every_field_that_the_review_page_reads_is_sent(name: str) -> None:
    assert list(fields_missing(getattr(read_by_reviewers, name), getattr(review_models, name))) == []


def test_every_field_that_is_read_of_feedback_is_sent() -> None:
    assert list(fields_missing(read_of_feedback.FeedbackTotal, feedback_models.FeedbackTotal)) == []


@pytest.mark.parametrize("name", ["Instrumentation", "Library"])
def test_every_field_that_is_read_of_instrumentation_is_sent(name: str) -> None:
    wanted, given = getattr(read_of_instrumentation, name), getattr(instrumentation_models, name)
    assert list(fields_missing(wanted, given)) == []


def test_the_routes_that_the_review_page_asks_exist() -> None:
    app = FastAPI()
    app.include_router(review.router)
    assert set(app.openapi()["paths"]) >= {
        "/api/v1/review/next",
        "/api/v1/review/items/{item_id}/label",
        "/api/v1/review/items/{item_id}/relevance",
        "/api/v1/review/items/{item_id}/skip",
    }


def test_the_routes_that_the_client_asks_exist() -> None:
    app = FastAPI()
    app.include_router(router)
    assert set(app.openapi()["paths"]) >= {
        "/api/v1/status",
        "/api/v1/alerts",
        "/api/v1/alerts/{alert_id}/acknowledge",
        "/api/v1/alerts/{alert_id}/silence",
        "/api/v1/signals",
        "/api/v1/signals/{signal}/points",
        "/api/v1/releases",
        "/api/v1/answers",
        "/api/v1/answers/{trace_id}",
        "/api/v1/answers/{trace_id}/evidence",
        "/api/v1/review/false-exclusion",
        "/api/v1/review/losses",
        "/api/v1/completeness",
        "/api/v1/completeness/hours",
        "/api/v1/ingest",
        "/api/v1/instrumentation",
        "/api/v1/feedback",
        "/api/v1/judges",
        "/api/v1/phoenix",
    }


class Wanted(BaseModel):
    a: int
    b: list[str]
    c: float | None


class MayBeNull(BaseModel):
    a: int | None
    b: list[str]
    c: float


class Other(BaseModel):
    a: int
    b: list[int]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Wanted, []),
        (MayBeNull, ["Wanted.a may be null"]),
        (Other, ["Wanted.b[0] is int, not str", "Wanted.c is not sent"]),
    ],
    ids=["same", "null", "different"],
)
def test_the_comparison_finds_what_differs(given: type[BaseModel], expected: list[str]) -> None:
    assert list(fields_missing(Wanted, given)) == expected


def test_a_field_that_a_newer_service_adds_is_ignored() -> None:
    assert read.Document.model_validate({"id": "a", "score": None, "colour": "red"}).id == "a"
