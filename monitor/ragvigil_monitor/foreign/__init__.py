"""Answers of applications that other instrumentations describe, which never say what an answer is."""
