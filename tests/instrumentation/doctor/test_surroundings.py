"""What the doctor says of the environment, and what it never prints."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ragvigil.doctor.finding import Finding
from ragvigil.doctor.surroundings import check_surroundings


def found(check: str, endpoint: str | None = None, **environ: str) -> list[Finding]:
    return [finding for finding in check_surroundings(endpoint, environ) if finding.check == check]


@pytest.mark.parametrize(("value", "verdict"), [("true", "problem"), (" TRUE ", "problem"), ("1", "ok"), ("", "ok")])
def test_the_kill_switch_is_noticed(value: str, verdict: str) -> None:
    assert [finding.verdict for finding in found("switch", OTEL_SDK_DISABLED=value)] == [verdict]


def test_the_endpoint_is_told_with_where_it_comes_from() -> None:
    assert found("endpoint")[0].detail == "http://127.0.0.1:4318/v1/traces (from the default)"
    assert "(from --endpoint)" in found("endpoint", "http://m:1", OTEL_EXPORTER_OTLP_ENDPOINT="http://n:2")[0].detail
    common = found("endpoint", OTEL_EXPORTER_OTLP_ENDPOINT="http://n:2/")[0].detail
    assert common == "http://n:2/v1/traces (from OTEL_EXPORTER_OTLP_ENDPOINT)"
    own = found("endpoint", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="http://n:2/x", OTEL_EXPORTER_OTLP_ENDPOINT="http://m")
    assert own[0].detail == "http://n:2/x (from OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)"


@pytest.mark.parametrize("wrong", ["monitor:4318", "ftp://x", "http://", "http://[::1", "http://h:99999", " "])
def test_an_endpoint_that_is_none_is_a_problem(wrong: str) -> None:
    (finding,) = found("endpoint", OTEL_EXPORTER_OTLP_ENDPOINT=wrong)
    assert (finding.verdict, finding.advice) == ("problem", "correct it; configure() raises for it too")


def test_a_wrong_compression_is_a_problem() -> None:
    (finding,) = found("endpoint", OTEL_EXPORTER_OTLP_COMPRESSION="brotli")
    assert finding.verdict == "problem"
    assert "brotli" in finding.detail


def test_the_grpc_port_and_protocol_are_noticed() -> None:
    assert [finding.verdict for finding in found("endpoint", "http://m:4317")] == ["ok", "warning"]
    assert found("protocol", OTEL_EXPORTER_OTLP_PROTOCOL="grpc")[0].verdict == "warning"
    assert found("protocol", OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf") == []


def test_no_secret_is_printed() -> None:
    secret = "s3cr3t"
    findings = check_surroundings(
        None,
        {
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"https://user:{secret}@monitor:4318/v1?token={secret}",
            "OTEL_EXPORTER_OTLP_HEADERS": f"authorization=Bearer {secret},x-tenant={secret}",
        },
    )
    text = "\n".join(str(finding) for finding in findings)
    assert secret not in text
    assert "https://monitor:4318/v1 (from OTEL" in text
    assert "authorization: (hidden), x-tenant: (hidden)" in text


@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"])
def test_headers_that_cannot_be_read_are_a_problem(name: str) -> None:
    assert found("headers", **{name: "authorization: Bearer x"})[0].verdict == "problem"
    assert found("headers", **{name: " "})[0].verdict == "ok"


def test_a_service_without_a_name_is_a_warning() -> None:
    assert found("service")[0].verdict == "warning"
    assert found("service", OTEL_SERVICE_NAME="shop")[0].detail == "shop"
    assert found("service", OTEL_RESOURCE_ATTRIBUTES="service.name=shop")[0].detail == "shop"


def test_the_spool_is_measured(tmp_path: Path) -> None:
    (tmp_path / "a-1.spool").write_bytes(b"x" * 1200)
    (tmp_path / "other").write_bytes(b"x")
    assert found("spool") == []
    assert found("spool", RAGVIGIL_SPOOL_DIR=str(tmp_path))[0].detail.startswith("1 segments with 1,200 bytes")
    assert "is made when" in found("spool", RAGVIGIL_SPOOL_DIR=str(tmp_path / "none"))[0].detail
    assert found("spool", RAGVIGIL_SPOOL_DIR=str(tmp_path / "a-1.spool"))[0].verdict == "problem"


def test_a_segment_that_is_delivered_meanwhile_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "a-1.spool").write_bytes(b"x" * 1200)
    (tmp_path / "a-2.spool").symlink_to(tmp_path / "gone")
    assert found("spool", RAGVIGIL_SPOOL_DIR=str(tmp_path))[0].detail.startswith("1 segments with 1,200 bytes")


@pytest.mark.parametrize("name", ["x" * 5000, "a-1.spool/below"])
def test_a_spool_that_cannot_be_looked_at_hurts_nobody(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-1.spool").write_bytes(b"x")
    assert len(found("spool", RAGVIGIL_SPOOL_DIR=str(tmp_path / name))) == 1


def test_findings_are_one_line_each(caplog: pytest.LogCaptureFixture) -> None:
    line: Callable[[Finding], str] = str
    assert line(Finding("a", "ok", "b")) == "ok       a: b"
    assert line(Finding("a", "problem", "b", "c")) == "problem  a: b → c"
