"""The version of the package, written out: to ask the installed metadata costs a seventh of our import."""

__version__ = "0.1.0"
