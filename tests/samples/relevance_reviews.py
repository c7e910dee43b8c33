"""Retrievals with their probes, drawn for relevance review and labelled, straight in the tables."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from tests.samples.traffic import Traffic

from ragvigil_monitor.store import Store

Documents = Sequence[str]
_NEVER = datetime.max.replace(tzinfo=UTC)
_TIME = pa.timestamp("us")
_ITEM_TYPES = {"started_at": _TIME, "decided_at": _TIME, "probe_started_at": _TIME}


@dataclass(slots=True)
class RelevanceReviews:
    """Collects answers, spans, items and labels, and puts them into a store with `insert`. Times are aware."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))
    sent: Traffic = field(default_factory=lambda: Traffic(slow_from=_NEVER))
    items: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)
    skips: list[dict[str, Any]] = field(default_factory=list)
    not_drawn: Counter[tuple[datetime, str]] = field(default_factory=Counter)

    def add(
        self,
        started_at: datetime,
        found: Documents,
        probed: Documents | None = None,
        *,
        relevant: Documents | None = (),
        passes: Sequence[object] | str | None = None,
        shown: Documents | None = None,
        stages: Sequence[dict[str, Any]] = (),
        versions: tuple[str | None, str | None] = (None, None),
        probability: float = 1.0,
        priority: float = 0.5,
        standing: str | None = None,
        sampling_probability: float = 1.0,
        labelled_after: timedelta = timedelta(hours=2),
        **answer: Any,
    ) -> str:
        """One answer with one retrieval; its item id. probed: None where there is no relevance clause, so no probe.

        relevant: what the reviewer marks; None: there is no label. passes: what the probe says, a list or plain text.
        stages: columns of later spans. versions: of the index, in the retrieval and in the probe. standing: why it was
        not drawn; then it is no item.
        """
        trace_id, span_id, item_id = self.rng.bytes(16), self.rng.bytes(8), self.rng.bytes(16).hex()
        moment = started_at.replace(tzinfo=None)
        self.sent.answers.append(
            {**_span(moment), "trace_id": trace_id, "span_id": span_id, "answer_id": item_id, **_ANSWER, **answer}
        )
        own = {**_span(moment + timedelta(milliseconds=40)), "trace_id": trace_id, "answer_span_id": span_id}
        retrieval = {**own, **self._search(found, 10, _version(versions[0])), **_filter(is_filtered=probed is not None)}
        self.sent.spans.append(retrieval)
        for place, stage in enumerate(stages, 2):
            later = moment + timedelta(milliseconds=40 * place)
            self.sent.spans.append({**own, "started_at": later, "span_id": self.rng.bytes(8), **stage})
        if standing is not None:
            self.not_drawn[moment.replace(minute=0, second=0, microsecond=0), standing] += 1
            return item_id
        item = {
            "item_id": item_id,
            "kind": "relevance",
            "trace_id": trace_id,
            "span_id": span_id,
            "started_at": moment,
            "decided_at": moment + timedelta(hours=1),
            "inclusion_probability": sampling_probability * probability,
            "sampling_probability": sampling_probability,
            "wants_second": False,
            "seed": b"seed",
            "policy_version": "1",
            "salt_version": "1",
            "retrieval_span_id": retrieval["span_id"],
        }
        if probed is not None:
            said = {**_version(versions[1]), "ragvigil.sampling.probability": sampling_probability, **_passes(passes)}
            item |= self._probe(retrieval, probed, said)
        self.items.append(item)
        stratum = "unfiltered" if probed is None else "filter_probe"
        self.frames.append({"item_id": item_id, "stratum": stratum, "probability": probability, "priority": priority})
        if relevant is not None:
            listed = list(dict.fromkeys([*found, *(probed or [])])) if shown is None else list(shown)
            self.label(item_id, listed, relevant, started_at + labelled_after)
        return item_id

    def add_to_last(self, started_at: datetime, found: Documents, probed: Documents, **other: Any) -> str:
        """One more retrieval, with the same probe share as the last one, of the answer that was added last."""
        answer = self.sent.answers[-1]
        item_id = self.add(started_at, found, probed, **other)
        self.sent.answers.pop()
        for row in (self.sent.spans[-2], self.items[-1]):
            row["trace_id"] = answer["trace_id"]
        self.sent.spans[-2]["answer_span_id"] = self.items[-1]["span_id"] = answer["span_id"]
        self.sent.spans[-1]["probe_id"] = f"{answer['trace_id'].hex()}-{self.sent.spans[-2]['span_id'].hex()}"
        return item_id

    def label(self, item_id: str, shown: Documents, relevant: Documents, labelled_at: datetime) -> None:
        """A label of an item."""
        self.labels.append(
            {
                "label_id": self.rng.bytes(16).hex(),
                "lease_id": self.rng.bytes(16).hex(),
                "item_id": item_id,
                "reviewer": "ada",
                "label": "relevant" if relevant else "none_relevant",
                "labelled_at": labelled_at,
                "documents": list(shown),
                "relevant": [document in relevant for document in shown],
            }
        )

    def skip(self, item_id: str, skipped_at: datetime) -> None:
        """Pass an item over."""
        self.skips.append(
            {"item_id": item_id, "lease_id": self.rng.bytes(8).hex(), "reviewer": "ada", "skipped_at": skipped_at}
        )

    def insert_traffic(self, store: Store) -> None:
        """Put answers and spans into a store, without any review, and forget everything."""
        self.sent.insert(store)
        self._forget()

    def insert(self, store: Store) -> None:
        """Put everything into a store, and forget it."""
        self.sent.insert(store)
        with store.transaction() as writer:
            if self.items:
                writer.execute_with("add_review_items", _table(self.items))
                writer.execute_with("add_review_frames", pa.Table.from_pylist(self.frames))
                writer.execute_with("add_review_rounds", pa.Table.from_pylist(list(self._rounds())))
            for label in self.labels:
                writer.execute("add_review_label", **{n: v for n, v in label.items() if n not in _DOCUMENTS})
                writer.execute("add_relevance_labels", **{n: label[n] for n in ("label_id", *_DOCUMENTS)})
            for skip in self.skips:
                writer.execute("add_review_skip", **skip)
        self._forget()

    def _rounds(self) -> Iterator[dict[str, Any]]:
        """Rounds of an hour from which just these items were drawn; a stratum may have held nothing."""
        counts = Counter(self.not_drawn)
        for item, frame in zip(self.items, self.frames, strict=True):
            hour = item["started_at"].replace(minute=0, second=0, microsecond=0)
            not_probed = 1 / item["sampling_probability"] - 1 if frame["stratum"] == "filter_probe" else 0.0
            if not_probed >= 1:
                counts[hour, "not_probed"] += round(not_probed)
            for stratum in ("filter_probe", "unfiltered"):
                counts[hour, stratum] += round(1 / frame["probability"]) if frame["stratum"] == stratum else 0
        for (hour, standing), n in counts.items():
            yield {
                "decided_at": hour + timedelta(microseconds=int(self.rng.integers(1, 10**9))),
                "stratum": standing,
                "answers_start": hour,
                "answers_end": hour + timedelta(hours=1),
                "probability": float(standing in {"filter_probe", "unfiltered"}),
                "frame": n,
                "taken": 0,
                "policy_version": "1",
                "salt_version": "1",
            }

    def _forget(self) -> None:
        self.sent = Traffic(slow_from=_NEVER)
        for rows in (self.items, self.frames, self.labels, self.skips, self.not_drawn):
            rows.clear()

    def _probe(self, retrieval: dict[str, Any], probed: Documents, attributes: dict[str, Any]) -> dict[str, Any]:
        probe = {
            **_span(retrieval["started_at"] + timedelta(seconds=3)),
            **self._search(probed, 20, attributes),
            "trace_id": self.rng.bytes(16),
            "probe_id": f"{retrieval['trace_id'].hex()}-{retrieval['span_id'].hex()}",
        }
        self.sent.spans.append(probe)
        return {f"probe_{name}": probe[name] for name in ("trace_id", "span_id", "started_at")}

    def _search(self, documents: Documents, depth: int, attributes: dict[str, Any]) -> dict[str, Any]:
        return {
            "span_id": self.rng.bytes(8),
            "stage": "retrieve",
            "top_k": depth,
            "output_documents": listed(documents),
            "attributes": json.dumps({**_texts(documents), **attributes}),
        }


_DOCUMENTS = ("documents", "relevant")
_ANSWER = {"intent": "ask", "sampling_probability": 1.0}


def reranked(*documents: str) -> dict[str, Any]:
    """Columns of a reranking that lets these documents through."""
    return {"name": "rerank", "stage": "rerank", "output_documents": listed(documents)}


def assembled(*documents: str) -> dict[str, Any]:
    """Columns of a context assembly that lets these documents through."""
    attributes = json.dumps({"ragvigil.context.doc_ids": list(documents)})
    return {"name": "assemble", "stage": "assemble", "attributes": attributes}


def cited(*documents: str) -> str:
    """The citations of an answer."""
    return json.dumps([{"doc_id": document, "rank": rank} for rank, document in enumerate(documents, 1)])


def listed(documents: Documents) -> str:
    """A document column."""
    return json.dumps([{"id": document, "score": None} for document in documents])


def _span(started_at: datetime) -> dict[str, Any]:
    return {
        "started_at": started_at,
        "duration_ms": 20.0,
        "service": "shop",
        "service_version": "1.0",
        "name": "search",
        "status": "ok",
        "dropped_attributes": 0,
    }


def _filter(*, is_filtered: bool) -> dict[str, Any]:
    if not is_filtered:
        return {"filter_state": "none"}
    clauses = [{"path": "", "role": "relevance", "origin": "llm", "kind": None}]
    return {"filter_state": "known", "filter_clauses": json.dumps(clauses)}


def _passes(passes: Sequence[object] | str | None) -> dict[str, Any]:
    if passes is None:
        return {}
    return {"ragvigil.probe.passes": passes if isinstance(passes, str) else json.dumps(passes)}


def _texts(documents: Documents) -> dict[str, str]:
    return {f"retrieval.documents.{rank}.document.content": f"Text of {id_}." for rank, id_ in enumerate(documents)}


def _version(version: str | None) -> dict[str, Any]:
    return {} if version is None else {"ragvigil.index.version": version}


def _table(items: list[dict[str, Any]]) -> pa.Table:
    names = [*items[0], *(f"probe_{name}" for name in ("trace_id", "span_id", "started_at"))]
    columns = {name: [item.get(name) for item in items] for name in names}
    binary = {name: pa.binary() for name in names if name.endswith(("trace_id", "span_id")) or name == "seed"}
    types = {**binary, **_ITEM_TYPES}
    return pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()})
