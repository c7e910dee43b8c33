"""Signals: one file each, a pure function of (store, window, settings) that yields estimates."""
