"""Ids and texts of documents as they may leave."""

from ragvigil.attributes import CONTENT_HMAC_PREFIX
from ragvigil.documents import LONGEST_TEXT, Documents, Text
from ragvigil.rare import Value
from ragvigil.redaction.content import Modes
from ragvigil.redaction.values import Contents


class DocumentsRedactor:
    """Applies the modes `document_ids` and `document_texts`."""

    def __init__(self, modes: Modes, contents: Contents) -> None:
        self._ids = modes["document_ids"]
        self._texts = modes["document_texts"]
        self._contents = contents

    def redacted(self, documents: Documents) -> Documents:
        """The documents, each in its place."""
        texts = documents.texts
        if texts is None and self._ids == "full":
            return documents
        if texts is not None:
            texts = tuple([self._text(text) for text in texts]) if self._texts == "full" else None
        return Documents(self.ids(documents.ids), documents.scores, texts)

    def ids(self, ids: tuple[object, ...]) -> tuple[object, ...]:
        """Ids alone; equal ids stay equal, wherever they are recorded."""
        return tuple([self._hash("document_ids", str(identity)) for identity in ids]) if self._ids == "hashed" else ids

    def hashed(self, field: str, documents: Documents) -> dict[str, Value]:
        """The attribute that holds a hash for each text, '' where there is none."""
        if self._texts != "hashed" or documents.texts is None:
            return {}
        hashes = [self._hash("document_texts", text) if isinstance(text, str) else "" for text in documents.texts]
        return {f"{CONTENT_HMAC_PREFIX}{field}.texts": tuple(hashes)}

    def _hash(self, field: str, text: str) -> str:
        return self._contents.hashes.of(field, text)

    def _text(self, text: Text) -> Text:
        if not isinstance(text, str):
            return text
        return self._contents.texts.redacted(text, ends_cut=len(text) >= LONGEST_TEXT)
