"""`configure`: arguments over environment over defaults, and every bad value refused by name."""

from collections.abc import Mapping
from typing import Any

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.settings import endpoints, headers_from, is_disabled, pairs, resource_from
from ragvigil.testing import InMemoryExporter


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            {"endpoint": "127.0.0.1:4318"},
            "endpoint: got '127.0.0.1:4318'; expected an address such as http://127.0.0.1",
        ),
        ({"endpoint": "grpc://collector:4317"}, "endpoint: got 'grpc://collector:4317'"),
        ({"endpoint": "http://"}, "endpoint: got 'http://'"),
        ({"endpoint": "http://host:99999"}, "endpoint: got 'http://host:99999'"),
        ({"endpoint": 4318}, "endpoint: got 4318"),
        ({"service_name": ""}, "service.name: got ''; expected text that is not empty"),
        ({"service_version": 5}, "service.version: got 5; expected text"),
        ({"environment": b"prod"}, "deployment.environment.name: got b'prod'"),
        ({"headers": {"x": 5}}, "headers: got 'x'; expected names and values of printable ASCII text"),
        ({"headers": {"": "x"}}, "headers: got ''"),
        ({"headers": {"x": "a\r\nInjected: b"}}, "headers: got 'x'"),
        ({"headers": {"x": "ü"}}, "headers: got 'x'"),
        ({"resource": {"team": object}}, "resource['team']: got <class 'object'>; expected text, a number"),
        ({"resource": {5: "x"}}, "resource[5]: got 'x'"),
        ({"secret_key": b"short"}, "secret_key: got 5 bytes; expected bytes, at least 16 (for example key.encode())"),
        (
            {"secret_key": "a text of more than 16 letters"},
            "secret_key: got str; expected bytes, at least 16 (for example key.encode())",
        ),
        ({"max_queue_traces": 0}, "max_queue_traces: got 0; expected a whole number of at least 1"),
        ({"max_queue_traces": 2.5}, "max_queue_traces: got 2.5"),
        ({"max_queue_bytes": True}, "max_queue_bytes: got True"),
        ({"export_interval_s": -1}, "export_interval_s: got -1; expected a positive number of seconds"),
        ({"counts_interval_s": float("nan")}, "counts_interval_s: got nan"),
        ({"timeout_s": float("inf")}, "timeout_s: got inf"),
        ({"timeout_s": "10"}, "timeout_s: got '10'"),
        ({"probe_share": 1.5}, "probe_share: got 1.5; expected a number from 0 to 1"),
        ({"probe_share": -0.1}, "probe_share: got -0.1"),
        ({"probe_share": float("nan")}, "probe_share: got nan"),
        ({"probe_share": True}, "probe_share: got True"),
        ({"probe_share": "0.1"}, "probe_share: got '0.1'"),
        ({"probe_timeout_s": 0}, "probe_timeout_s: got 0; expected a positive number of seconds"),
        ({"document_texts": 1}, "document_texts: got 1; expected True or False"),
        ({"document_texts": "no"}, "document_texts: got 'no'"),
        ({"content": "all"}, "content: got 'all'; expected full, hashed or none"),
        ({"content": 5}, "content: got int; expected full, hashed, none or a mapping of fields"),
        ({"content": {"qestion": "none"}}, "content['qestion']: there is no such field; known are question, answer,"),
        ({"content": {5: "none"}}, "content[5]: there is no such field"),
        ({"content": {"question": "hash"}}, "content['question']: got 'hash'; expected full, hashed or none"),
        ({"content": {"question": ["none"]}}, "content['question']: got ['none']"),
        ({"content": {"document_ids": "none"}}, "content['document_ids']: got 'none'; expected full or hashed"),
        ({"content": {"query_vector": "hashed"}}, "content['query_vector']: got 'hashed'; expected full or none"),
        ({"redactors": str.upper}, "redactors: expected a list of functions from text to text"),
        ({"redactors": ["common"]}, "redactors: expected a list of functions"),
        ({"redactors": "common"}, "redactors: expected a list of functions"),
        ({"max_waiting_probes": 0}, "max_waiting_probes: got 0; expected a whole number of at least 1"),
    ],
    ids=str,
)
def test_a_bad_argument_is_refused_by_name(arguments: Mapping[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=r".+") as refused:
        ragvigil.configure(**{"service_name": "shop", **arguments})
    assert complaint in str(refused.value)


def test_a_secret_never_shows_in_the_refusal() -> None:
    with pytest.raises(ValueError, match="secret_key") as refused:
        ragvigil.configure(secret_key=b"hunter2")
    assert "hunter2" not in str(refused.value)


def test_a_refused_configuration_leaves_the_one_before() -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter)
    with pytest.raises(ValueError, match="timeout_s"):
        ragvigil.configure(timeout_s=-1)
    with ragvigil.stage("embed"):
        pass
    assert ragvigil.flush()
    assert len(exporter.spans) == 1


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector"),
        ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "collector"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "brotli"),
    ],
)
def test_a_bad_variable_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=variable):
        ragvigil.configure()


@pytest.mark.parametrize(
    ("argument", "environ", "traces", "logs"),
    [
        (None, {}, "http://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318/v1/logs"),
        (None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1/"}, "http://c:1/v1/traces", "http://c:1/v1/logs"),
        (
            "https://a/base",
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"},
            "https://a/base/v1/traces",
            "https://a/base/v1/logs",
        ),
        (None, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x"}, "http://t/x", "http://127.0.0.1:4318/v1/logs"),
        (None, {"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://l/x"}, "http://127.0.0.1:4318/v1/traces", "http://l/x"),
        ("http://a", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t"}, "http://a/v1/traces", "http://a/v1/logs"),
        ("http://[::1]:4318", {}, "http://[::1]:4318/v1/traces", "http://[::1]:4318/v1/logs"),
    ],
    ids=["default", "variable", "argument wins", "own traces", "own logs", "argument over own", "IPv6"],
)
def test_addresses(argument: str | None, environ: dict[str, str], traces: str, logs: str) -> None:
    assert endpoints(argument, environ) == (traces, logs)


def test_headers_of_traces_win_over_common_ones_and_arguments_over_both() -> None:
    environ = {
        "OTEL_EXPORTER_OTLP_HEADERS": "a=common,b=common,c=common",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b=traces,c=traces",
    }
    assert headers_from({"c": "argument"}, environ) == {"a": "common", "b": "traces", "c": "argument"}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", {}),
        ("a=1", {"a": "1"}),
        (" a = 1 , b=x%2Cy%20z ,", {"a": "1", "b": "x,y z"}),
        ("a=", {"a": ""}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_lists_of_pairs_are_read_as_opentelemetry_says(text: str, read: dict[str, str]) -> None:
    assert pairs({"NAME": text}, "NAME") == read


@pytest.mark.parametrize("text", ["a", "a=1,b", "=1"])
def test_a_broken_list_is_told_and_ignored(text: str, caplog: pytest.LogCaptureFixture) -> None:
    assert pairs({"NAME": text}, "NAME") == {}
    assert "NAME is ignored" in caplog.text


def test_the_resource_of_arguments_over_environment_over_defaults() -> None:
    environ = {
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=from-list,team=list,zone=list",
        "OTEL_SERVICE_NAME": "from-env",
    }
    assert resource_from({}, None, {})[names.SERVICE_NAME] == "unknown_service:python"
    assert resource_from({}, None, {"OTEL_RESOURCE_ATTRIBUTES": "service.name=x"})[names.SERVICE_NAME] == "x"
    assert resource_from({}, None, environ)[names.SERVICE_NAME] == "from-env"
    full = resource_from({names.SERVICE_NAME: "argument", names.SERVICE_VERSION: None}, {"team": "argument"}, environ)
    assert full == {
        names.SERVICE_NAME: "argument",
        names.PROJECT_NAME: "argument",
        "team": "argument",
        "zone": "list",
    }


def test_the_project_can_differ_from_the_service() -> None:
    resource = resource_from({names.SERVICE_NAME: "shop"}, {names.PROJECT_NAME: "rag"}, {})
    assert resource[names.PROJECT_NAME] == "rag"


def test_everything_about_the_service_is_exported() -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(
        service_name="shop",
        service_version="1.4.2",
        environment="production",
        revision="abc",
        resource={"team": "search", "replicas": 3, "zones": ["a", "b"]},
        exporter=exporter,
    )
    with ragvigil.stage("embed"):
        pass
    assert ragvigil.flush()
    resource = exporter.one("embed").resource
    assert resource[names.SERVICE_VERSION] == "1.4.2"
    assert resource[names.DEPLOYMENT_ENVIRONMENT] == "production"
    assert resource[names.VCS_REVISION] == "abc"
    assert (resource["team"], resource["replicas"], resource["zones"]) == ("search", 3, ["a", "b"])


@pytest.mark.parametrize(("value", "disabled"), [("true", True), (" TRUE ", True), ("1", False), ("", False)])
def test_only_true_disables(value: str, disabled: bool) -> None:
    assert is_disabled({"OTEL_SDK_DISABLED": value}) is disabled


def test_without_a_key_equality_of_protected_values_holds_within_the_process() -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter)
    for tenant in ("acme", "acme", "beta"):
        with ragvigil.stage("retrieve") as s:
            s.filter({"tenant": tenant})
    assert ragvigil.flush()
    first, second, third = [span.attributes[names.FILTER_AST] for span in exporter.spans]
    assert first == second != third
    assert "acme" not in first


def test_flush_and_shutdown_are_harmless_without_configure() -> None:
    assert ragvigil.flush(timeout_s=0)
    assert ragvigil.shutdown(timeout_s=0)
    assert ragvigil.shutdown(timeout_s=0)
