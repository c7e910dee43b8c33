"""What may leave the process: content in full, hashed or not at all, and texts without what must not be in them."""

from ragvigil.redaction.content import Content, Mode
from ragvigil.redaction.ready import Kind, common
from ragvigil.redaction.texts import Redact

__all__ = ["Content", "Kind", "Mode", "Redact", "common"]
