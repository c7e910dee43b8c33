"""What the traffic of an encoder is compared with: fitted once, versioned, never changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.stored_vectors import FLOAT32, FLOAT64
from ragvigil_monitor.statistics.gumbel_limit import GumbelLimit
from ragvigil_monitor.statistics.hour_of_week import CELLS
from ragvigil_monitor.statistics.novelty_statistic import NoveltyScale
from ragvigil_monitor.statistics.season_reference import SeasonReference
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row


@dataclass(frozen=True, slots=True)
class DriftReference:
    """n: vectors that it was learnt from. mix, novelty: how large the statistics became on quiet days."""

    encoder: Encoder
    version: int
    fitted_at: datetime
    n: int
    season: SeasonReference
    scale: NoveltyScale
    mix: GumbelLimit
    novelty: GumbelLimit

    def row(self) -> dict[str, Any]:
        """As a row of `drift_references`."""
        return {
            **self.encoder.columns,
            "version": self.version,
            "fitted_at": self.fitted_at.replace(tzinfo=None),
            "n": self.n,
            "mean": _bytes(self.season.mean, FLOAT64),
            "cells": _bytes(self.season.cells, FLOAT64),
            "axes": _bytes(self.scale.axes, FLOAT32),
            "variances": _bytes(self.scale.variances, FLOAT64),
            "mix_location": self.mix.location,
            "mix_scale": self.mix.scale,
            "novelty_location": self.novelty.location,
            "novelty_scale": self.novelty.scale,
            "replayed_days": self.mix.days,
        }


def reference_at(store: Store, encoder: Encoder, now: datetime) -> DriftReference | None:
    """The newest reference that there was at `now`; None before the first."""
    rows = store.rows("drift_reference_at", now=now, **encoder.columns)
    return _read(rows[0], encoder) if rows else None


def _read(row: Row, encoder: Encoder) -> DriftReference:
    d = encoder.dimension
    return DriftReference(
        encoder,
        row["version"],
        row["fitted_at"],
        row["n"],
        SeasonReference(_array(row["mean"], FLOAT64), _array(row["cells"], FLOAT64).reshape(CELLS, d)),
        NoveltyScale(_array(row["axes"], FLOAT32).reshape(d, d), _array(row["variances"], FLOAT64)),
        GumbelLimit(row["mix_location"], row["mix_scale"], row["replayed_days"]),
        GumbelLimit(row["novelty_location"], row["novelty_scale"], row["replayed_days"]),
    )


def _bytes(values: NDArray[np.float64], stored_as: np.dtype[Any]) -> bytes:
    return values.astype(stored_as).tobytes()


def _array(stored: bytes, stored_as: np.dtype[Any]) -> NDArray[np.float64]:
    return np.frombuffer(stored, stored_as).astype(np.float64)
