"""Settings: read once, checked at once, explained in one file."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.settings_text import explained

NAMES = st.one_of(st.text(max_size=8), st.integers(), st.booleans(), st.none(), st.dates())
CONFIG = Path(__file__).parents[2] / "config" / "ragvigil.yaml"


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "ragvigil.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_the_shipped_file_is_what_the_settings_say() -> None:
    assert CONFIG.read_text(encoding="utf-8") == explained()


def test_the_shipped_file_means_the_defaults() -> None:
    assert Settings.load(CONFIG).model_dump() == Settings.load().model_dump()


def test_the_commented_example_is_valid_when_uncommented(tmp_path: Path) -> None:
    lines = explained().replace("  webhook: null\n", "").splitlines()
    example = "\n".join(line.replace("  #", "  ", 1) if line.startswith("  #  ") else line for line in lines)
    enabled = Settings.load(written(tmp_path, example.replace("  #webhook:", "  webhook:")))
    assert enabled.notify.webhook is not None
    assert enabled.notify.webhook.max_attempts == 12


def test_a_file_changes_only_what_it_names(tmp_path: Path) -> None:
    settings = Settings.load(written(tmp_path, "server: {port: 5000}\n"))
    assert settings.server.port == 5000
    assert settings.server.host == "127.0.0.1"


def test_a_mapping_in_a_file_replaces_the_default_mapping(tmp_path: Path) -> None:
    settings = Settings.load(written(tmp_path, "guardrails: {latency_p95: {slo_ms: {rerank: 300}}}\n"))
    assert settings.guardrails.latency_p95.slo_ms == {"rerank": 300.0}
    assert settings.guardrails.latency_p95.every_s == 900


def test_a_value_is_a_starting_value_until_a_file_or_the_environment_sets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "guardrails: {false_exclusion: {every_s: 7200}}\n"
    shipped = Settings.load(written(tmp_path, text)).guardrails.false_exclusion
    assert shipped.is_starting_value("limits")
    assert not shipped.is_starting_value("every_s")
    monkeypatch.setenv("RAGVIGIL_GUARDRAILS__FALSE_EXCLUSION__LIMITS", '{"all": 0.02}')
    confirmed = Settings.load(written(tmp_path, text)).guardrails.false_exclusion
    assert not confirmed.is_starting_value("limits")


@pytest.mark.parametrize("limits", ["{all: 0}", "{all: 1}", "{all: .nan}", "{every: 0.02}", "{all: many}", "0.02"])
def test_a_limit_of_false_exclusion_is_a_share_of_a_series(tmp_path: Path, limits: str) -> None:
    with pytest.raises(ConfigurationError, match=r"guardrails\.false_exclusion\.limits"):
        Settings.load(written(tmp_path, f"guardrails: {{false_exclusion: {{limits: {limits}}}}}\n"))


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGVIGIL_SERVER__PORT", "6000")
    assert Settings.load(written(tmp_path, "server: {port: 5000, host: 0.0.0.0}\n")).server.port == 6000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAGVIGIL_GUARDRAILS__LATENCY_P95__WINDOWS_H", "1,24"),
        ("RAGVIGIL_GUARDRAILS__LATENCY_P95__SLO_MS", "answer=3"),
        ("RAGVIGIL_ALARMS__DAYS_OFF", "2026-12-24"),
        ("ragvigil_server", "port 5000"),
    ],
)
def test_a_variable_that_is_not_json_is_named_and_its_value_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("SOMETHING_ELSE", value)
    with pytest.raises(ConfigurationError) as refused:
        Settings.load()
    assert str(refused.value).startswith(f"{name} is not JSON (")
    assert 'a list such as [1, 24] or a map such as {"answer": 1500}' in str(refused.value)
    assert value not in str(refused.value)


def test_a_variable_with_a_number_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGVIGIL_GUARDRAILS__LATENCY_P95__WINDOWS_H", f"[{'1' * 5000}]")
    with pytest.raises(ConfigurationError, match="A setting in the environment is not JSON"):
        Settings.load()


def test_an_argument_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGVIGIL_SERVER__PORT", "6000")
    settings = Settings.load(None, server={"port": 7000})
    assert settings.server.port == 7000
    assert settings.server.host == "127.0.0.1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("server: {port: 99999}", "server.port: got 99999", id="out of range"),
        pytest.param("servr: {port: 1}", "servr: there is no such setting", id="unknown section"),
        pytest.param("server: {prot: 1}", "server.prot: there is no such setting", id="unknown setting"),
        pytest.param("server: {port: many}", "server.port: got 'many'", id="wrong type"),
        pytest.param("server:\n", "server: got None", id="empty section"),
        pytest.param("store: {memory_limit: lots}", "store.memory_limit: got 'lots'", id="wrong unit"),
        pytest.param(
            "alarms: {false_alarms_per_week: .nan}", "alarms.false_alarms_per_week: got nan", id="not a number"
        ),
        pytest.param("guardrails: {cost_per_query: {budget_usd: {p95: 1}}}", "p95", id="unknown statistic"),
        pytest.param(
            "guardrails: {latency_p95: {windows_h: []}}", "guardrails.latency_p95.windows_h: got []", id="no window"
        ),
        pytest.param("server: [1, 2", "not readable as YAML", id="broken YAML"),
        pytest.param(b"\xff\xfe\x00", "not readable as YAML", id="not UTF-8"),
        pytest.param("- a", "it does not name settings", id="list"),
        pytest.param("[]", "it does not name settings", id="empty list"),
        pytest.param("hello", "it does not name settings", id="word"),
        pytest.param("5", "it does not name settings", id="number"),
        pytest.param("5: 3\nfoo: 1", "\n  5: there is no such setting\n  foo: there", id="name that is no text"),
        pytest.param("null: 3", "None: there is no such setting", id="name that is null"),
        pytest.param("alarms: {days_off: [2026-13-45]}", 'ragvigil.yaml", line 1, column 21', id="day that is no date"),
        pytest.param("server: {port: !!int ''}", "line 1, column 16", id="number that is none"),
        pytest.param("server: !!bool x", "line 1, column 9", id="truth that is none"),
        pytest.param("[" * 5000, "not readable as YAML", id="too deep"),
    ],
)
def test_a_bad_value_names_the_setting_and_what_it_got(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(written(tmp_path, text))
    assert message in str(refused.value)


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(written(tmp_path, "server: {port: -1, host: 5}\nfoo: 1\n"))
    assert [name for name in ("server.port", "server.host", "foo") if name in str(refused.value)] == [
        "server.port",
        "server.host",
        "foo",
    ]


def test_a_secret_is_never_printed(tmp_path: Path) -> None:
    file = written(tmp_path, "notify: {webhook: {url: 'http://localhost', secret: hunter2}}")
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(file)
    assert "hunter2" not in str(refused.value)
    good = Settings.load(
        written(tmp_path, "notify: {webhook: {url: 'http://localhost', secret: correct-horse-battery}}")
    )
    assert "correct-horse" not in repr(good)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no configuration file"):
        Settings.load(tmp_path / "nowhere.yaml")


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=rf"{tmp_path} cannot be read \(Is a directory\)\. Name a file"):
        Settings.load(tmp_path)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "null\n", "{}\n"], ids=["empty", "comment", "null", "no name"])
def test_a_file_that_sets_nothing_means_the_defaults(tmp_path: Path, text: str) -> None:
    assert Settings.load(written(tmp_path, text)).model_dump() == Settings.load().model_dump()


def test_settings_cannot_be_changed_later() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings.load().server.port = 1  # type: ignore[misc]


@given(st.dictionaries(NAMES, st.one_of(st.integers(), st.text(max_size=5), st.none()), max_size=4))
def test_any_mapping_is_accepted_or_refused_with_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, raw: dict[object, object]
) -> None:
    file = written(tmp_path_factory.mktemp("any"), yaml.safe_dump(raw, allow_unicode=True))
    try:
        Settings.load(file)
    except ConfigurationError as refused:
        assert "not valid" in str(refused)  # noqa: PT017 - both outcomes are right, the text is what counts
