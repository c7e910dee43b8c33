"""A reviewer who knows which passages answer a question, and works through the API as the review page does."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.samples.monitors import Monitor
from tests.samples.multilingual.corpus import Document, Request

from ragvigil_monitor.keys import Role

Item = Mapping[str, Any]
NAME = "ada"


class PerfectReviewer:
    """Marks the passages that answer the question, told by nothing but their text."""

    def __init__(self, asked: Iterable[Request], documents: Iterable[Document]) -> None:
        self._topic_of_question = {request.question.text: request.question.topic for request in asked}
        self._topic_of_text = {document.passage.text: document.passage.topic for document in documents}

    def label_all(self, monitor: Monitor) -> list[Item]:
        """Label every relevance item that waits; what was shown."""
        return list(self._labelled(monitor))

    def _labelled(self, monitor: Monitor) -> Iterator[Item]:
        wanted = {"reviewer": NAME, "resume": False, "kind": "relevance"}
        while (item := monitor.post("/review/next", wanted, role=Role.REVIEWER)["item"]) is not None:
            said = {
                "label_id": str(uuid.uuid5(uuid.NAMESPACE_OID, item["item_id"])),
                "lease_id": item["lease_id"],
                "reviewer": NAME,
                "relevant": self._relevant(item),
            }
            monitor.post(f"/review/items/{item['item_id']}/relevance", said, role=Role.REVIEWER)
            yield item

    def _relevant(self, item: Item) -> list[str]:
        topic = self._topic_of_question[item["question"]]
        return [each["id"] for each in item["evidence"] if self._topic_of_text[each["text"]] == topic]
