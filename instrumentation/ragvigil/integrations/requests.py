"""What one call of a search method asks for, whatever the library, and how it is recorded and relaxed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from ragvigil import current
from ragvigil.arguments import MISSING, Argument
from ragvigil.dialects import Unreadable, read_filter, relaxed_native
from ragvigil.integrations.contribution import search_stage
from ragvigil.observation import Arguments, Keywords, Observation
from ragvigil.predicates import Filter, opaque
from ragvigil.probes.prober import Prober
from ragvigil.results import Results
from ragvigil.searches import NotProbeable, deeper
from ragvigil.stages import Stage
from ragvigil.wrapping import wrap

Call = tuple[Arguments, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Request:
    """One search; a filter or k that is MISSING cannot be seen.

    `beside` names what else restricts it and is not understood. `again` makes the arguments of the same search with
    another filter and k; None where that cannot be.
    """

    filter: object = MISSING
    top_k: object = MISSING
    query: str | None = None
    dialect: str | None = None
    beside: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    again: Callable[[object, int], Call] | None = None


@dataclass(frozen=True, slots=True)
class Requests:
    """Records the requests of one method, and makes those of its probes."""

    read: Callable[[Arguments, Keywords], Request]
    relevance: tuple[str, ...] = ()

    def record(self, stage: Stage, arguments: Arguments, keywords: Keywords) -> None:
        """Record what one call asks for."""
        if current.recorder is not None:
            record_request(stage, self.read(arguments, keywords), self.relevance)

    def relaxed(self, said: Filter, arguments: Arguments, keywords: Keywords) -> Call:
        """The arguments of the same search without relevance clauses and deeper; `said` is what its filter says.

        Raises NotProbeable or Unreadable where such a search cannot be asked for, and whatever an argument raises.
        """
        request = self.read(arguments, keywords)
        if request.again is None or request.filter is MISSING:
            raise NotProbeable("a search of this kind cannot be asked for again")
        deep_k = deeper(request.top_k)
        if _said(request, self.relevance) != said:
            raise Unreadable("it is not, or no longer, the filter that was recorded")
        alone = read_filter(request.filter, request.dialect, self.relevance)
        return request.again(relaxed_native(request.filter, alone, request.dialect, self.relevance), deep_k)


def record_request(stage: Stage, request: Request, relevance: tuple[str, ...]) -> None:
    """Record one search on the stage that it is."""
    fields = stage.fields
    told = {**request.facts, "query": request.query}
    fields.update({name: fact for name, fact in told.items() if fact is not None})
    if request.top_k is not MISSING:
        fields["top_k"] = request.top_k
    if request.filter is not MISSING:
        fields["filter"] = _said(request, relevance)


def _said(request: Request, relevance: tuple[str, ...]) -> Filter:
    """The filter, and beside it what else restricts the search."""
    said = read_filter(request.filter, request.dialect, relevance)
    return said.beside(*[opaque(said.dialect, name) for name in request.beside])


def named_fields(relevance: Iterable[str]) -> tuple[str, ...]:
    """Fields that a probe may relax; raises TypeError for one text, which would be as many fields as it has letters."""
    if isinstance(relevance, str):
        raise TypeError(f"relevance: got the text {relevance!r}; expected a list or tuple of fields")
    return tuple(relevance)


class Parameters:
    """Some parameters of one method, found in its calls wherever they stand."""

    def __init__(self, method: Callable[..., Any], *names: str) -> None:
        known = signature(method).parameters
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
        self._names = names
        self._by_name = {name: Argument(method, name) for name in names if takes_any or name in known}

    def of(self, arguments: Arguments, keywords: Keywords) -> dict[str, Any]:
        """Their values in one call, defaults included; None for one that it does not have."""
        values = {name: argument.of(arguments, keywords) for name, argument in self._by_name.items()}
        return {name: None if values.get(name) is MISSING else values.get(name) for name in self._names}

    def replaced(self, arguments: Arguments, keywords: Keywords, values: Mapping[str, object]) -> Call:
        """The arguments of the same call with other values for some of them."""
        call = arguments, dict(keywords)
        for name, value in values.items():
            call = self._by_name[name].replaced(*call, value)
        return call


class Each:
    """One thing of each item, read only where somebody asks, as often as that."""

    def __init__(self, items: Any, read: Callable[[Any], object]) -> None:
        self._items = items
        self._read = read

    def __iter__(self) -> Any:
        return map(self._read, self._items)


def listed(found: Any) -> list[Any]:
    """What was found; raises TypeError for an iterator, which would be used up."""
    if isinstance(found, list | tuple):
        return list(found)
    raise TypeError(f"expected a list of documents, got {type(found).__name__}")


def recording(
    method: Callable[..., Any], requests: Requests, extract: Callable[[Any], Any], *, probe: bool = True
) -> Callable[..., Any]:
    """`method`, each call of it a stage `retrieve`, or a part of the one around it."""
    results = Results(extract)
    follow_up = Prober(method, requests, results).consider if probe else None
    return wrap(method, Observation(search_stage, requests.record, results.record, follow_up))
