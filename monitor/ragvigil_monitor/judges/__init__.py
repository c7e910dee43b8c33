"""Judges: one file each, which scores how far the evidence carries an answer; and how far they can be trusted."""
