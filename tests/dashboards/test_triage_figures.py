from datetime import datetime, timedelta

import pytest

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.alert_card import card
from ragvigil_dashboards.figures.candidates import candidate_chips, factor
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.triage_line import triage_line
from ragvigil_dashboards.formats import signed
from ragvigil_dashboards.models import Alert, Candidate, ChangeSplit, Evidence, Triage, TriageNote

HOUR = timedelta(hours=1)


@pytest.fixture
def firing(client: Client) -> Alert:
    return next(alert for alert in client.status().alerts if alert.state == "firing")


def candidate(at: datetime, *, kind: str = "release", value: str = "1.5.0", bf: float | None = 34.2) -> Candidate:
    return Candidate(kind=kind, service="shop", value=value, first_seen_at=at, bayes_factor=bf)


def judged(alert: Alert, verdict: str, near: list[Candidate], reader: Reader) -> Evidence:
    triage = Triage(
        verdict=verdict,
        sentence="As the service says it.",
        searched_from=reader.now - 3 * HOUR,
        searched_until=reader.now - HOUR,
    )
    return alert.evidence.model_copy(update={"triage": triage, "releases": near})


def words(evidence: Evidence, reader: Reader) -> str:
    """The line without its markup."""
    line = triage_line(evidence, reader)
    assert line is not None
    inside = line.replace("<", "\n<").replace(">", ">\n").splitlines()
    return "".join(part for part in inside if not part.startswith("<"))


def test_each_verdict_is_a_sentence_in_the_readers_time(firing: Alert, reader: Reader) -> None:
    release = candidate(reader.now - 2 * HOUR)
    judge = candidate(reader.now - 2 * HOUR, kind="measurement", value="judge 2", bf=0.2)
    said = {
        ("regression-suspected", "one"): [release],
        ("regression-suspected", "two"): [release, judge],
        ("drift-suspected", "none"): [],
        ("undetermined", "one"): [release],
        ("undetermined", "none"): [],
        ("measurement-change", "two"): [release, judge],
        ("something newer", "one"): [release],
    }
    assert {key: words(judged(firing, key[0], near, reader), reader) for key, near in said.items()} == {
        ("regression-suspected", "one"): (
            "Regression suspected: release shop 1.5.0 (first seen 01:00, BF 34) lies at the onset."
        ),
        ("regression-suspected", "two"): (
            "Regression suspected: release shop 1.5.0 (first seen 01:00, BF 34) lies at the onset (1 more lie near it)."
        ),
        ("drift-suspected", "none"): (
            "Drift suspected: nothing was seen for the first time from 00:00 to 02:00;"
            " a return to an earlier version is not looked for."
        ),
        ("undetermined", "one"): (
            "Undetermined: release shop 1.5.0 (first seen 01:00, BF 34) lies near the onset,"
            " which may as well lie elsewhere."
        ),
        ("undetermined", "none"): "Undetermined: what was new from 00:00 to 02:00 is not fully known.",
        ("measurement-change", "two"): (
            "Measurement change: measurement shop judge 2 (first seen 01:00, BF 0.2) lies near the onset,"
            " so the change may not be real."
        ),
        ("something newer", "one"): "As the service says it.",
    }


def test_what_was_said_before_stays_beside_it(firing: Alert, reader: Reader) -> None:
    now = judged(firing, "regression-suspected", [candidate(reader.now - 2 * HOUR)], reader)
    notes = [
        TriageNote(judged_at=reader.now - hours * HOUR, verdict=verdict)
        for hours, verdict in ((3, "undetermined"), (2, "drift-suspected"), (1, "regression-suspected"))
    ]
    said = words(now.model_copy(update={"triages": notes}), reader)
    assert said.endswith("lies at the onset. Before: undetermined (00:00), drift suspected (01:00).")
    assert "Before" not in words(now.model_copy(update={"triages": notes[-1:]}), reader)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [("undetermined", "not fully known"), ("drift-suspected", "nothing was seen for the first time near the onset")],
)
def test_where_nothing_is_named_it_is_said_whether_that_is_known(
    firing: Alert, reader: Reader, verdict: str, said: str
) -> None:
    alert = firing.model_copy(update={"evidence": judged(firing, verdict, [], reader)})
    assert f">{said}<" in candidate_chips(alert, reader)


def test_without_a_triage_the_card_has_no_such_line(firing: Alert, reader: Reader) -> None:
    bare = firing.model_copy(update={"evidence": firing.evidence.model_copy(update={"triage": None})})
    assert triage_line(bare.evidence, reader) is None
    assert "rv-triage" not in card(bare, reader)


def test_the_card_says_it_under_its_sentence(firing: Alert, reader: Reader) -> None:
    shown = card(firing, reader)
    assert shown.index("rv-sentence") < shown.index("rv-triage") < shown.index("<dl>")
    assert "<b>Regression suspected</b>" in shown


def test_every_candidate_is_shown_with_its_factor(firing: Alert, reader: Reader) -> None:
    near = [
        candidate(reader.now - 9 * HOUR, bf=1e6),
        candidate(reader.now - 9 * HOUR, kind="filter extractor", value="rules 3", bf=0.04),
        candidate(reader.now - 9 * HOUR, kind="model", value="small", bf=None),
    ]
    alert = firing.model_copy(update={"evidence": firing.evidence.model_copy(update={"releases": near})})
    shown = candidate_chips(alert, reader)
    assert shown.count("rv-chip") == 3
    assert "release <b>" in shown
    assert "filter extractor <b>" in shown
    assert ", BF &gt; 1000</span>" in shown
    assert ", BF 0.0</span>" in shown


def test_the_card_says_what_a_change_is_made_of(firing: Alert, reader: Reader) -> None:
    split = ChangeSplit(name="intent", before=0.08, after=0.121, mix=0.003, rate=0.038)
    evidence = firing.evidence.model_copy(update={"split": split, "unit": "ratio"})
    shown = card(firing.model_copy(update={"evidence": evidence}), reader)
    assert "change +4.1 points: mix of " in shown
    assert "intents</bdi> +0.3 points, within " in shown
    assert "intents</bdi> +3.8 points</div>" in shown


@pytest.mark.parametrize(
    ("change", "unit", "said"),
    [
        (0.0412, "ratio", "+4.1 points"),
        (-0.02, "ratio", "-2.0 points"),
        (12.0, "ms", "+12 ms"),
        (-12.0, "ms", "-12 ms"),
    ],
)
def test_a_change_has_a_sign(change: float, unit: str, said: str) -> None:
    assert signed(change, unit) == said


@pytest.mark.parametrize(("bf", "said"), [(None, None), (9.94, "BF 9.9"), (10.4, "BF 10"), (1000.0, "BF 1000")])
def test_a_factor_is_short(reader: Reader, bf: float | None, said: str | None) -> None:
    assert factor(candidate(reader.now, bf=bf)) == said


def test_hostile_values_are_inert(firing: Alert, reader: Reader) -> None:
    evil = candidate(reader.now, kind="<script>", value="<img src=x onerror=alert(1)>")
    shown = card(firing.model_copy(update={"evidence": judged(firing, "undetermined", [evil], reader)}), reader)
    assert "<img" not in shown
    assert "<script" not in shown
