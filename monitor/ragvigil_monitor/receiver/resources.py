"""The application behind a group of spans or log records."""

from dataclasses import dataclass

from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ragvigil import attributes as names
from ragvigil_monitor.receiver.provenance import drop_implausible
from ragvigil_monitor.receiver.values import plain_mapping, text

UNKNOWN_SERVICE = "unknown_service"
"""What OpenTelemetry calls a service that has no name."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Service, version and process; `rest` are the resource attributes without a column."""

    service: str
    version: str | None
    instance_id: str | None
    rest: dict[str, object]


def sender_of(resource: Resource) -> Sender:
    """Read a resource."""
    rest = plain_mapping(resource.attributes)
    drop_implausible(rest)
    service, version, instance_id = (
        text(rest.pop(name, None)) for name in (names.SERVICE_NAME, names.SERVICE_VERSION, names.SERVICE_INSTANCE_ID)
    )
    return Sender(service or UNKNOWN_SERVICE, version or None, instance_id or None, rest)
