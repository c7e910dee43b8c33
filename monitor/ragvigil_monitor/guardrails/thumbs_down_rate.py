"""Thumbs-down: the share of answers that users disliked, against its own history."""

from ragvigil_monitor.guardrails.band import band_guardrail
from ragvigil_monitor.guardrails.band_sentence import EventWords
from ragvigil_monitor.signals.thumbs_down_rate import THUMBS_DOWN_RATE

THUMBS_DOWN_GUARDRAIL = band_guardrail(THUMBS_DOWN_RATE, EventWords(one="thumbs-down", many="thumbs-down"))
