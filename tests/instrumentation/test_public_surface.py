"""What the packages export, and that everything exported says what it is."""

import importlib
import inspect
from types import ModuleType

import pytest

import ragvigil
from ragvigil import predicates, redaction, testing

MODULES = [ragvigil, predicates, redaction, testing]


def exported_names(module: ModuleType) -> set[str]:
    """Names that are visible in a package and are neither private nor its submodules."""
    return {name for name, value in vars(module).items() if not name.startswith("_") and not inspect.ismodule(value)}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_all_is_what_is_exported(module: ModuleType) -> None:
    declared = set(module.__all__)
    assert declared - {"__version__"} == exported_names(module)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_all_is_sorted_without_doubles(module: ModuleType) -> None:
    names = [name for name in module.__all__ if not name.startswith("_")]
    constants_first = sorted(names, key=lambda name: (not name[0].isupper(), name))
    assert names == constants_first
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_everything_exported_has_a_docstring(module: ModuleType) -> None:
    exported = [getattr(module, name) for name in module.__all__]
    silent = [item for item in exported if inspect.isroutine(item) or inspect.isclass(item) if not inspect.getdoc(item)]
    assert not silent


@pytest.mark.parametrize("owner", [ragvigil.Answer, ragvigil.Stage, ragvigil.Filter], ids=lambda owner: owner.__name__)
def test_every_public_method_has_a_docstring(owner: type) -> None:
    silent = [
        name
        for name, member in inspect.getmembers(owner)
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
        if not inspect.getdoc(member)
    ]
    assert not silent


def test_functions_are_not_hidden_by_modules_of_the_same_name() -> None:
    for name in ("pipeline", "stage", "retriever", "configure", "flush", "where", "token", "feedback"):
        assert callable(getattr(importlib.import_module("ragvigil"), name))


def test_spans_have_no_dictionary_of_their_own_entries() -> None:
    """Slots keep a span small: a misspelt attribute of ours would show here."""
    with ragvigil.pipeline("ask") as answer, ragvigil.stage("retrieve") as stage:
        stage.set(query="q")
    assert vars(answer) == {}
    assert vars(stage) == {}
