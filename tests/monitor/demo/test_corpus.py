import re
import subprocess
import sys
import time
from collections import Counter

import pytest

from ragvigil_monitor.demo.corpus import MINIMUM_CHARACTERS, MOST_CHARACTERS, Entry, read_corpus

FINGERPRINT = """
import hashlib, sys
from ragvigil_monitor.demo.corpus import read_corpus
print(hashlib.sha256(repr(read_corpus()).encode()).hexdigest())
print(*sorted(name for name in sys.modules if name.partition(".")[0] in sys.argv[1:]))
"""


def fingerprint(hash_seed: str, *suspects: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FINGERPRINT, *suspects],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_has_thousands_of_entries_of_every_kind(corpus: tuple[Entry, ...]) -> None:
    kinds = Counter(entry.kind for entry in corpus)
    assert 2200 <= len(corpus) <= 3600
    assert set(kinds) == {"module", "class", "method", "function"}
    assert min(kinds.values()) > 100


def test_is_sorted_by_ids_that_occur_once(corpus: tuple[Entry, ...]) -> None:
    ids = [entry.id for entry in corpus]
    assert ids == sorted(set(ids))


def test_has_no_text_twice_and_none_that_is_short(corpus: tuple[Entry, ...]) -> None:
    texts = [entry.text for entry in corpus]
    assert len(set(texts)) == len(texts)
    assert min(map(len, texts)) >= MINIMUM_CHARACTERS


def test_longer_docstrings_are_cut_at_the_end_of_a_line(corpus: tuple[Entry, ...]) -> None:
    from argparse import __doc__ as whole

    cut = next(entry for entry in corpus if entry.id == "argparse").text
    assert whole is not None
    assert whole.startswith(cut + "\n")
    assert MOST_CHARACTERS / 2 < len(cut) <= MOST_CHARACTERS
    assert max(len(entry.text) for entry in corpus) <= MOST_CHARACTERS


def test_metadata_follows_from_the_id(corpus: tuple[Entry, ...]) -> None:
    for entry in corpus:
        assert entry.id == entry.module or entry.id.startswith(entry.module + ".")
        assert entry.module.split(".")[0] == entry.package
        assert (entry.kind == "module") == (entry.id == entry.module)


def test_text_is_the_docstring(corpus: tuple[Entry, ...]) -> None:
    import base64
    from inspect import getdoc

    encode = next(entry for entry in corpus if entry.id == "base64.b64encode")
    assert encode == Entry("base64.b64encode", str(getdoc(base64.b64encode)), "base64", "base64", "function")
    assert encode.name == "b64encode"
    assert encode.summary.startswith("Encode")
    assert "\n" not in encode.summary


def test_reading_twice_gives_the_same(corpus: tuple[Entry, ...]) -> None:
    assert read_corpus() == corpus


@pytest.mark.slow
def test_is_the_same_in_every_process_and_imports_nothing_with_side_effects() -> None:
    suspects = ("antigravity", "this", "turtle", "tkinter", "idlelib", "turtledemo", "test")
    one, two = fingerprint("1", *suspects), fingerprint("2", *suspects)
    assert one == two
    assert one[1] == ""


@pytest.mark.parametrize(
    ("entry_id", "kind", "package"),
    [
        ("statistics", "module", "statistics"),
        ("email.message.Message", "class", "email"),
        ("pathlib.Path.rename", "method", "pathlib"),
        ("heapq.merge", "function", "heapq"),
        ("io.StringIO.read", "method", "io"),
    ],
    ids=["module", "class below a package", "method", "function", "published by a C module"],
)
def test_well_known_things_are_there(corpus: tuple[Entry, ...], entry_id: str, kind: str, package: str) -> None:
    entry = next(entry for entry in corpus if entry.id == entry_id)
    assert (entry.kind, entry.package) == (kind, package)


def test_nothing_private_is_in_it(corpus: tuple[Entry, ...]) -> None:
    assert not [entry.id for entry in corpus if any(part.startswith("_") for part in entry.id.split("."))]


def test_no_text_names_an_address_in_memory(corpus: tuple[Entry, ...]) -> None:
    assert not [entry.id for entry in corpus if re.search(r"object at 0x[0-9a-f]{6,}", entry.text)]


def test_is_read_in_a_few_seconds() -> None:
    began = time.process_time()
    read_corpus()
    assert time.process_time() - began < 5
