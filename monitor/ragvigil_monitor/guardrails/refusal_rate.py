"""Refusals: the share of answers that say they cannot answer, against its own history."""

from ragvigil_monitor.guardrails.band import band_guardrail
from ragvigil_monitor.guardrails.band_sentence import EventWords
from ragvigil_monitor.signals.refusal_rate import REFUSAL_RATE

REFUSAL_GUARDRAIL = band_guardrail(REFUSAL_RATE, EventWords(one="refusal", many="refusals"))
