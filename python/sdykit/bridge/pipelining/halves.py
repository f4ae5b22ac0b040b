"""A traced function in two halves: up to the start of its tile programs, and from their end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jax.extend import core

from sdykit.bridge.ffi import TARGET
from sdykit.bridge.kernels.specs import ASYNCHRONOUS
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, UpdateSpec

Atom = Any
"""A `core.Var` or a `core.Literal`."""

KINDS: Final = frozenset(each.kind for each in (LookupSpec, UpdateSpec, CustomUpdateSpec))
"""The kinds of programs that run asynchronously; others compute a few scalars."""


@dataclass(frozen=True)
class Halves:
    """Two functions of lists of arrays, which one after the other compute what one does.

    Attributes:
        first: `(*arguments) -> [*awaited, *held, *operands, *carried]`. It starts the programs.
        second: `(*awaited, *carried, *arguments) -> results`: everything that waits for them.
        awaited: the number of results of programs that `second` reads.
        held: the number of the other results of programs.
        operands: the number of operands of programs that `first` computes.
        depth: the number of programs in the longest chain of them in which each needs the one before.
    """

    first: core.ClosedJaxpr
    second: core.ClosedJaxpr
    awaited: int
    held: int
    operands: int
    depth: int


def split(closed: core.ClosedJaxpr) -> Halves:
    """Return the halves of a function.

    A program belongs to the first half, in which it runs asynchronously, if it needs nothing but
    arguments, other operations of the first half and results of other programs. Operations on the
    results of programs, and what depends on these, belong to the second half.
    """
    constants: dict[core.Var, Any] = {}
    eqns: list[Any] = []
    arguments = [core.Var(each.aval) for each in closed.jaxpr.invars]
    results = _inline(closed, arguments, eqns, constants)
    sides = _Sides()
    for eqn in eqns:
        sides.add(eqn)
    # The halves have other arguments and results than the function, which are not named.
    info = closed.jaxpr.debug_info._replace(arg_names=None, result_paths=None)
    return sides.halves(arguments, results, constants, info)


def _inline(
    closed: core.ClosedJaxpr,
    arguments: Sequence[Atom],
    eqns: list[Any],
    constants: dict[core.Var, Any],
) -> list[Atom]:
    """Append the operations of a function, those of functions that it calls included.

    Returns:
        What stands for its results.
    """
    jaxpr = closed.jaxpr
    known: dict[Any, Atom] = dict(zip(jaxpr.invars, arguments, strict=True))
    for variable, value in zip(jaxpr.constvars, closed.consts, strict=True):
        known[variable] = core.Var(variable.aval)
        constants[known[variable]] = value

    def read(atom: Atom) -> Atom:
        return atom if isinstance(atom, core.Literal) else known[atom]

    for eqn in jaxpr.eqns:
        operands = [read(each) for each in eqn.invars]
        called = _called(eqn)
        if called is not None:
            results = _inline(called, operands, eqns, constants)
        else:
            results = [core.Var(each.aval) for each in eqn.outvars]
            eqns.append(eqn.replace(invars=operands, outvars=results))
        known |= dict(zip(eqn.outvars, results, strict=True))
    return [read(each) for each in jaxpr.outvars]


_CALLED = ("jaxpr", "call_jaxpr")
"""Parameters of operations that do nothing but call a function."""
_CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_vjp_call", "custom_jvp_call")


def _called(eqn: Any) -> core.ClosedJaxpr | None:
    """Return the function that an operation calls, if it runs a program."""
    if eqn.primitive.name not in _CALLS:
        return None
    found = [eqn.params[name] for name in _CALLED if name in eqn.params]
    if len(found) != 1 or not isinstance(found[0], core.ClosedJaxpr):
        return None
    return found[0] if _has_program(found[0].jaxpr.eqns) else None


def _has_program(eqns: Iterable[Any]) -> bool:
    return any(
        _is_program(eqn)
        or any(_has_program(inner.eqns) for inner in core.jaxprs_in_params(eqn.params))
        for eqn in eqns
    )


def _is_program(eqn: Any) -> bool:
    """Return whether an operation runs the tile program of a lookup or an update."""
    if eqn.primitive.name != "ffi_call" or eqn.params["target_name"] != TARGET:
        return False
    return json.loads(dict(eqn.params["attributes"])["spec"])["kind"] in KINDS


class _Sides:
    """The operations of both halves."""

    def __init__(self) -> None:
        self.first: list[Any] = []
        self.second: list[Any] = []
        self.operands: dict[core.Var, None] = {}
        """What programs read and do not overwrite, in order."""
        self.depths: dict[core.Var, int] = {}
        """The results of programs that were started, and the lengths of their chains."""
        self.late: set[core.Var] = set()
        """The results of the second half."""

    def add(self, eqn: Any) -> None:
        """Add an operation to the half in which it belongs."""
        read = [each for each in eqn.invars if isinstance(each, core.Var)]
        waits = [each for each in read if each in self.depths]
        is_late = any(each in self.late for each in read)
        if is_late or (waits and not _is_program(eqn)):
            self.second.append(eqn)
            self.late.update(eqn.outvars)
        elif _is_program(eqn):
            self._start(eqn, 1 + max((self.depths[each] for each in waits), default=0))
        else:
            self.first.append(eqn)

    def _start(self, eqn: Any, depth: int) -> None:
        overwritten = {operand for operand, _ in eqn.params["input_output_aliases"]}
        for number, each in enumerate(eqn.invars):
            if number not in overwritten and isinstance(each, core.Var):
                self.operands[each] = None
        self.first.append(_asynchronous(eqn))
        self.depths |= dict.fromkeys(eqn.outvars, depth)

    def halves(
        self,
        arguments: Sequence[core.Var],
        results: Sequence[Atom],
        constants: dict[core.Var, Any],
        info: core.DebugInfo,
    ) -> Halves:
        """Return the halves, after the last operation has been added."""
        made = {each for eqn in self.first for each in eqn.outvars}
        needed = dict.fromkeys(
            each
            for each in [*(each for eqn in self.second for each in eqn.invars), *results]
            if isinstance(each, core.Var)
        )
        awaited = [each for each in needed if each in self.depths]
        held = [each for each in self.depths if each not in needed]
        operands = [each for each in self.operands if each in made and each not in self.depths]
        carried = [each for each in needed if each in made and each not in self.depths]
        return Halves(
            _closed(self.first, arguments, [*awaited, *held, *operands, *carried], constants, info),
            _closed(self.second, [*awaited, *carried, *arguments], list(results), constants, info),
            awaited=len(awaited),
            held=len(held),
            operands=len(operands),
            depth=max(self.depths.values(), default=0),
        )


def _asynchronous(eqn: Any) -> Any:
    """Return the operation that runs a program, and does not wait for its end."""
    attributes = dict(eqn.params["attributes"])
    spec = {**json.loads(attributes["spec"]), ASYNCHRONOUS: True}
    attributes["spec"] = json.dumps(spec, sort_keys=True, separators=(",", ":"))
    return eqn.replace(params={**eqn.params, "attributes": tuple(attributes.items())})


def _closed(
    eqns: Sequence[Any],
    arguments: Sequence[core.Var],
    results: Sequence[Atom],
    constants: dict[core.Var, Any],
    info: core.DebugInfo,
) -> core.ClosedJaxpr:
    effects = frozenset[Any]().union(*(eqn.effects for eqn in eqns))
    jaxpr = core.Jaxpr(list(constants), arguments, results, eqns, effects, info)
    return core.ClosedJaxpr(jaxpr, list(constants.values()))
