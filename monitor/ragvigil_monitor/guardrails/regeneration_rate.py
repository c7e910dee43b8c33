"""Regenerations: the share of answers that users asked for again, against its own history."""

from ragvigil_monitor.guardrails.band import band_guardrail
from ragvigil_monitor.guardrails.band_sentence import EventWords
from ragvigil_monitor.signals.regeneration_rate import REGENERATION_RATE

REGENERATION_GUARDRAIL = band_guardrail(REGENERATION_RATE, EventWords(one="regenerate", many="regenerates"))
