"""A backup that is taken while applications send is a prefix of what was acknowledged."""

from datetime import UTC
from pathlib import Path

import httpx
from tests.samples.killed_services import Sender, acknowledged_by, new_senders, sending
from tests.samples.monitors import Monitor, running_monitor
from tests.samples.otlp import NOW, PROTOBUF, rag_trace, traces
from tests.samples.rows_of import rows_of
from tests.samples.servers import wait_until
from tests.samples.survivors import Stored

from ragvigil_monitor.backup.asking import Source
from ragvigil_monitor.backup.restoring import restore
from ragvigil_monitor.backup.taking import Order, take
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings


def wait_for_more(senders: list[Sender], more: int) -> set[int]:
    already = len(acknowledged_by(senders))
    wait_until(lambda: len(acknowledged_by(senders)) >= already + more)
    return acknowledged_by(senders)


def backed_up_under_load(monitor: Monitor, backup: Path, senders: list[Sender]) -> tuple[set[int], set[int]]:
    """What was acknowledged before the backup began, and what was sent until it was there."""
    source = Source(monitor.url, monitor.serving.keys.by_role[Role.ADMIN])
    with sending(senders, monitor.url):
        before = wait_for_more(senders, 40)
        take(Order(backup, source), Settings.load(), utc_now(), lambda *_: None)
        sent = acknowledged_by(senders) | {sender.begun for sender in senders}
        wait_for_more(senders, 20)
    return before, sent


def test_a_restored_backup_is_a_prefix_of_what_was_acknowledged(monitor: Monitor, tmp_path: Path) -> None:
    senders, restored = new_senders(), tmp_path / "restored.duckdb"
    before, sent = backed_up_under_load(monitor, tmp_path / "a.backup", senders)
    restore(tmp_path / "a.backup", restored, utc_now())
    stored = Stored.of(restored)
    assert before <= stored.answers.keys() <= sent
    assert stored.is_sound
    for sender in senders:
        theirs = [number for number in sender.acknowledged if number in stored.answers]
        assert theirs == sender.acknowledged[: len(theirs)]
    assert len(stored.answers) < len(acknowledged_by(senders))


def test_what_a_restored_service_is_sent_again_is_stored_once(monitor: Monitor, tmp_path: Path) -> None:
    senders, restored = new_senders(), tmp_path / "restored.duckdb"
    backed_up_under_load(monitor, tmp_path / "a.backup", senders)
    restore(tmp_path / "a.backup", restored, utc_now())
    held = Stored.of(restored).answers.keys()
    times = {row[2]: row[3] for row in rows_of(tmp_path / "a.backup")["answers"]}
    with running_monitor(restored) as again:
        for number in [*sorted(held)[:10], 7]:
            started_at = times.get(f"answer-{number}", NOW).replace(tzinfo=UTC)
            body = traces(*rag_trace(number, started_at=started_at)).SerializeToString()
            assert httpx.post(f"{again.url}/v1/traces", content=body, headers=PROTOBUF).status_code == 200
        assert again.outcomes()["spans_duplicate"] == 60
    after = Stored.of(restored)
    assert after.is_sound
    assert after.answers.keys() == held | {7}
