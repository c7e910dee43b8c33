"""A small real RAG app, its simulated users, and the incidents that are planted in it."""
