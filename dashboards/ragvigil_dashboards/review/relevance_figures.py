"""What the list of documents shows, as plain values: the browser sets each of them as text, never as HTML."""

from collections.abc import Collection
from string import ascii_uppercase
from typing import Any

from ragvigil_dashboards.markup import LONGEST_TEXT, Markup, tag, visible
from ragvigil_dashboards.review.choices import RELEVANCE_KEYS
from ragvigil_dashboards.review_models import ReviewEvidence, ReviewItem


def relevance_data(item: ReviewItem, marked: Collection[str]) -> dict[str, Any]:
    """Question and documents in the order given; places of the documents that are marked already.

    No id of a document is in it: a place is enough to say which one is meant.
    """
    return {
        "item": item.item_id,
        "question": visible(item.question or "The question was not recorded."),
        "asked": bool(item.question),
        "documents": [_document(place, passage) for place, passage in enumerate(item.evidence)],
        "marked": [place for place, passage in enumerate(item.evidence) if passage.id in marked],
        "nothing": "The documents of this item are no longer stored. Skip it with S.",
    }


def relevance_keys() -> Markup:
    """The keys of the list, in one line."""
    return tag("p", *(part for key, does in RELEVANCE_KEYS for part in (tag("kbd", key), f" {does}")), class_="rr-keys")


def passage_name(place: int) -> str:
    """Letters from A on, numbers from 27 on."""
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)


def _document(place: int, passage: ReviewEvidence) -> dict[str, Any]:
    text = passage.text or "The text of this document was not recorded."
    return {"name": passage_name(place), "text": visible(text[:LONGEST_TEXT]), "recorded": bool(passage.text)}
