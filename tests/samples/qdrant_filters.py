"""Random payloads and filters of Qdrant, of everything that its own engine judges in local mode."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

from qdrant_client import models

Payload = dict[str, Any]
Condition = Any

DAY = datetime(2026, 6, 1, tzinfo=UTC)
VALUES: list[Any] = ["a", "b", "ab", "", "5", "2026-06-01", "2026-06-02T10:00:00Z", 0, 1, 5, -3, 1.5, 4.5, True, False]
NUMBERS = [-3, 0, 1.5, 5]
FIELDS = ["tenant", "kind", "deep.lang", "absent"]
ON_KIND = models.FieldCondition(key="kind", match=models.MatchValue(value="a"))
ON_TENANT = models.FieldCondition(key="tenant", match=models.MatchAny(any=["a", "b"]))


def random_value(chance: random.Random) -> object:
    shape = chance.random()
    if shape < 0.12:
        return None
    if shape < 0.3:
        return chance.sample(VALUES, chance.randrange(4))
    return {"inner": 1} if shape < 0.33 else chance.choice(VALUES)


def random_payload(chance: random.Random) -> Payload:
    """A payload with missing keys, nulls, arrays and every kind of scalar, one of the fields inside another."""
    payload = {name: random_value(chance) for name in ("tenant", "kind") if chance.random() < 0.85}
    if chance.random() < 0.85:
        payload["deep"] = {"lang": random_value(chance)} if chance.random() < 0.9 else random_value(chance)
    return payload


def random_match(chance: random.Random) -> Condition:
    some = [value for value in VALUES if isinstance(value, str)]
    numbers = [0, 1, 5, -3]
    few = chance.sample(some, chance.randrange(4)) if chance.random() < 0.5 else chance.sample(numbers, 2)
    scalar = chance.choice([value for value in VALUES if not isinstance(value, float)])
    return chance.choice(
        [
            models.MatchValue(value=scalar),
            models.MatchAny(any=few),
            models.MatchExcept(**{"except": few}),
            models.MatchPrefix(prefix=chance.choice(some)),
        ]
    )


def random_field(chance: random.Random, two_bounds: float = 0.0) -> Condition:
    """A condition that has a neutral form; with probability `two_bounds` a range has perhaps two."""
    key, shape = chance.choice(FIELDS), chance.randrange(6)
    if shape < 3:
        return models.FieldCondition(key=key, match=random_match(chance))
    if shape == 3:
        bounds = [[chance.choice(["gt", "gte", "lt", "lte"])], ["gt", "lte"], ["gte", "lt"]]
        names = bounds[0] if chance.random() >= two_bounds else chance.choice(bounds)
        return models.FieldCondition(key=key, range=models.Range(**{name: chance.choice(NUMBERS) for name in names}))
    if shape == 4:
        moment = chance.choice([DAY, DAY + timedelta(hours=34), DAY.replace(tzinfo=None), date(2026, 6, 2)])
        return models.FieldCondition(key=key, range=models.DatetimeRange(gte=moment))
    return chance.choice(
        [
            models.FieldCondition(key=key, is_empty=chance.random() < 0.5),
            models.FieldCondition(key=key, is_null=chance.random() < 0.5),
            models.IsEmptyCondition(is_empty=models.PayloadField(key=key)),
            models.IsNullCondition(is_null=models.PayloadField(key=key)),
        ]
    )


def random_opaque(chance: random.Random) -> Condition:
    center = models.GeoPoint(lon=1.0, lat=1.0)
    return chance.choice(
        [
            models.HasIdCondition(has_id=[1, 2, 3]),
            models.FieldCondition(key="kind", match=models.MatchText(text="a")),
            models.FieldCondition(key="kind", values_count=models.ValuesCount(gt=1)),
            models.FieldCondition(key="kind", geo_radius=models.GeoRadius(center=center, radius=5.0)),
            models.FieldCondition(key="kind[]", match=models.MatchValue(value="a")),
            models.NestedCondition(nested=models.Nested(key="deep", filter=models.Filter(must=[ON_KIND]))),
        ]
    )


def random_conditions(chance: random.Random, depth: int) -> Any:
    """A list of conditions, one alone, or nothing."""
    if chance.random() < 0.3:
        return None
    made = [random_condition(chance, depth) for _ in range(chance.randrange(4))]
    return made[0] if len(made) == 1 and chance.random() < 0.3 else made


def random_condition(chance: random.Random, depth: int) -> Condition:
    if chance.random() < 0.04:
        return random_opaque(chance)
    return random_filter(chance, depth - 1) if depth and chance.random() < 0.25 else random_field(chance)


def random_filter(chance: random.Random, depth: int) -> models.Filter:
    clauses = {name: random_conditions(chance, depth) for name in ("must", "should", "must_not")}
    some = [random_condition(chance, depth) for _ in range(chance.randrange(1, 4))]
    counted = models.MinShould(conditions=some, min_count=chance.randrange(1, 4)) if chance.random() < 0.15 else None
    return models.Filter(min_should=counted, **clauses)


def flat(payload: Payload, prefix: str = "") -> Payload:
    """The fields of a payload by their paths, as Qdrant addresses them."""
    found: Payload = {}
    for name, value in payload.items():
        found |= {f"{prefix}{name}": value}
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{name}.")
    return found
