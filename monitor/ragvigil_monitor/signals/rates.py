"""Every rate whose hours are counted."""

from ragvigil_monitor.signals.rate import Rate
from ragvigil_monitor.signals.refusal_rate import REFUSAL_RATE
from ragvigil_monitor.signals.regeneration_rate import REGENERATION_RATE
from ragvigil_monitor.signals.thumbs_down_rate import THUMBS_DOWN_RATE

RATES: tuple[Rate, ...] = (REGENERATION_RATE, THUMBS_DOWN_RATE, REFUSAL_RATE)
