"""What the commands say of a backup."""

from ragvigil_monitor.store.manifest import Manifest


def contents(manifest: Manifest) -> str:
    """How much is in it, how new that is, and who took it when."""
    newest = "none" if manifest.newest_answer_at is None else f"{manifest.newest_answer_at:%Y-%m-%d %H:%M:%S} UTC"
    answers, spans = manifest.rows.get("answers", 0), manifest.rows.get("spans", 0)
    return (
        f"{answers:,} answers, {spans:,} spans, newest answer {newest}; "
        f"taken {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC by Ragvigil {manifest.program}, "
        f"schema {manifest.schema_number}"
    )
