"""What stands in place of a predicate: filters and clauses inside others, and what is no predicate at all."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from ragvigil.predicates.ast import And, Leaf, Not, Opaque, Or, Predicate, ProtectedLeaf, type_name
from ragvigil.predicates.build import NEUTRAL
from ragvigil.predicates.clauses import Filter
from ragvigil.predicates.roles import Clause, Label

Part: TypeAlias = tuple[Predicate, tuple[Label, ...]]
"""One conjunct, and labels whose paths begin at it."""

ALL_ENTITLEMENT: Final = (Label("", "entitlement"),)


def parts(given: object) -> Sequence[Part]:
    """The conjuncts that something stands for, whatever it is; never raises.

    A filter keeps the roles that it gives; inside a clause of entitlement all of it is entitlement too. Where a filter,
    a clause or anything else stands below a connective, the whole is entitlement.
    """
    try:
        if isinstance(given, Clause):
            return _of_clause(given)
        return _of_filter(given) if isinstance(given, Filter) else [_of_predicate(given, ())]
    except Exception:  # noqa: BLE001 - an object of any type may fail in any way, and then nobody knows what it says
        return [(_unknown(given), ())]


def sound(node: object) -> Predicate:
    """The predicate itself, if it is one throughout; else one in which filters and clauses are what they restrict to.

    What is no predicate becomes opaque. May raise whatever the object does, and RecursionError.
    """
    if isinstance(node, _LEAVES):
        return node
    if isinstance(node, And | Or):
        return _sound_group(node)
    if isinstance(node, Not):
        arg = sound(node.arg)
        return node if arg is node.arg else Not(arg)
    if isinstance(node, Clause | Filter) and node.predicate is not None:
        return sound(node.predicate)
    return _unknown(node)


def _sound_group(node: And | Or) -> Predicate:
    if type(node.args) is tuple and _PLAIN.issuperset(map(type, node.args)):
        return node
    args = tuple([sound(arg) for arg in node.args])
    if type(node.args) is tuple and all(map(_is, args, node.args)):
        return node
    return And(args) if isinstance(node, And) else Or(args)


def _of_clause(clause: Clause) -> Sequence[Part]:
    declared = Label("", clause.role, clause.origin, clause.kind)
    if not isinstance(clause.predicate, Clause | Filter):
        return [_of_predicate(clause.predicate, (declared,))]
    below = parts(clause.predicate)
    return below if clause.role == "relevance" else [(part, (declared, *labels)) for part, labels in below]


def _of_filter(said: Filter) -> Sequence[Part]:
    root = said.predicate
    if not isinstance(root, And) or any(label.path == "" for label in said.labels) or sound(root) is not root:
        return [_of_predicate(said if root is None else root, said.labels)]
    return [(arg, _labels_at(f"/args/{index}", said.labels)) for index, arg in enumerate(root.args)]


def _labels_at(path: str, labels: tuple[Label, ...]) -> tuple[Label, ...]:
    below = [label for label in labels if f"{label.path}/".startswith(f"{path}/")]
    return tuple([label._replace(path=label.path.removeprefix(path)) for label in below])


def _of_predicate(given: object, declared: tuple[Label, ...]) -> Part:
    predicate = sound(given)
    if predicate is given:
        return predicate, declared
    return predicate, () if isinstance(predicate, Opaque) else ALL_ENTITLEMENT


def _unknown(given: object) -> Opaque:
    return Opaque(NEUTRAL, type_name(given))


def _is(one: object, other: object) -> bool:
    return one is other


_LEAVES: Final = (Leaf, ProtectedLeaf, Opaque)
_PLAIN: Final = frozenset(_LEAVES)
