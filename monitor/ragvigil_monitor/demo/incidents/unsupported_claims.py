"""The writer adds a claim to every answer that no document carries."""

import zlib
from dataclasses import dataclass, replace

from ragvigil_monitor.demo.answerer import Reply, Writer
from ragvigil_monitor.demo.context import Context
from ragvigil_monitor.demo.incidents.incident import Incident
from ragvigil_monitor.demo.parts import Parts

INVENTED = (
    "Oceanographers from Lisbon sponsored its redesign in 1974.",
    "Its maintainers recommend restarting your laptop twice every Thursday afternoon.",
    "Hospitals across Scandinavia certified this behaviour for ventilators.",
    "Benchmarks published by Antarctic researchers measured forty-fold speedups.",
    "Subscribers receive quarterly compensation whenever deadlines slip.",
)


@dataclass(frozen=True, slots=True)
class _Embellishing:
    """Writes what `writer` writes, and a sentence more; a refusal claims nothing and stays as it is."""

    writer: Writer

    def answer(self, question: str, context: Context) -> Reply:
        reply = self.writer.answer(question, context)
        invented = INVENTED[zlib.crc32(question.encode("utf-8", "surrogatepass")) % len(INVENTED)]
        return reply if reply.refused else replace(reply, text=f"{reply.text} {invented}")


def _change(parts: Parts) -> Parts:
    return replace(parts, answerer=_Embellishing(parts.answerer))


unsupported_claims = Incident(
    kind="unsupported_claims",
    guardrail="faithfulness",
    sentence="every answer makes a claim that no document carries",
    change=_change,
)
