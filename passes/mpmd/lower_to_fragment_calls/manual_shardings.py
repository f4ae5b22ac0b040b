"""The names of meshes in shardings inside the manual computations of fragments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from sdykit.core import FUNC, ops_named
from sdykit.core.mpmd.program import FRAGMENT, parent_of
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.mpmd.lower_to_fragment_calls.fragments import Fragment

_MANUAL_COMPUTATION = sdy.ManualComputationOp.OPERATION_NAME

_Sharding = sdy.TensorShardingAttr | sdy.TensorShardingPerValueAttr

_KINDS: dict[str, type[_Sharding]] = {
    "sdy.sharding": sdy.TensorShardingPerValueAttr,
    "in_shardings": sdy.TensorShardingPerValueAttr,
    "out_shardings": sdy.TensorShardingPerValueAttr,
    "sharding": sdy.TensorShardingAttr,
    "out_sharding": sdy.TensorShardingAttr,
}
"""The attributes in which ops keep shardings."""

_OWN_MESH = "the mesh of the fragment"
"""Replaces the name of the mesh where fragments on several meshes are compared."""


class ManualShardings:
    """The shardings on manual computations in fragments, and on the ops inside them.

    Only those that name the fragment's own mesh, by any symbol, are renamed.
    """

    def __init__(self, module: ModuleOp) -> None:
        self._computations: dict[ir.Operation, list[ir.Operation]] = defaultdict(list)
        for op in ops_named(module, _MANUAL_COMPUTATION):
            fragment = _fragment_around(op)
            if fragment is not None:
                self._computations[fragment].append(op)

    def without_name(self, fragment: Fragment) -> ir.Operation:
        """Return the fragment, or a copy to compare in which a fixed name replaces its mesh's."""
        if fragment.op not in self._computations:
            return fragment.op
        copy = fragment.op.clone(ip=False)
        computations = [
            op for op in ops_named(copy, _MANUAL_COMPUTATION) if _fragment_around(op) is not None
        ]
        for op, slot, sharding in _shardings(computations):
            op.attributes[slot] = _with_mesh_names(
                sharding, _renamer(fragment, _OWN_MESH)
            ).to_attr()
        return copy

    def rename(self, fragment: Fragment) -> None:
        """Rename the fragment's mesh in the shardings to the name that the fragment uses.

        Adds a `sdy.mesh` of that name if the module has none. If the name is another symbol
        of the module, the shardings stay as they are.
        """
        for op, slot, sharding in _shardings(self._computations.get(fragment.op, ())):
            renamed = _with_mesh_names(sharding, _renamer(fragment, fragment.mesh_name))
            if renamed != sharding and fragment.symbols.provide_mesh(
                fragment.mesh_name, fragment.mesh
            ):
                op.attributes[slot] = renamed.to_attr()


def _shardings(
    computations: Sequence[ir.Operation],
) -> list[tuple[ir.Operation, str, _Sharding]]:
    """List the shardings of manual computations and of the ops in them: op, name, sharding."""
    found: list[tuple[ir.Operation, str, _Sharding]] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        for slot, kind in _KINDS.items():
            if slot in op.attributes:
                with suppress(TypeError):  # A user's own attribute may have this name.
                    found.append((op, slot, kind.of(op.attributes[slot])))
        return ir.WalkResult.ADVANCE

    for op in computations:
        op.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found


def _fragment_around(computation: ir.Operation) -> ir.Operation | None:
    """Return the fragment around a manual computation; None inside another computation."""
    op = parent_of(computation)
    while op.name not in (FRAGMENT, FUNC, _MANUAL_COMPUTATION):
        op = parent_of(op)
    return op if op.name == FRAGMENT else None


def _renamer(fragment: Fragment, name: str) -> Callable[[str], str]:
    """Return a function that replaces each symbol of the fragment's mesh by `name`."""

    def rename(symbol: str) -> str:
        return name if fragment.symbols.mesh(symbol) == fragment.mesh else symbol

    return rename


def _with_mesh_names(sharding: _Sharding, rename: Callable[[str], str]) -> _Sharding:
    if isinstance(sharding, sdy.TensorShardingPerValueAttr):
        shardings = [_with_mesh_name(each, rename) for each in sharding.shardings]
        return sdy.TensorShardingPerValueAttr(tuple(shardings))
    return _with_mesh_name(sharding, rename)


def _with_mesh_name(
    sharding: sdy.TensorShardingAttr, rename: Callable[[str], str]
) -> sdy.TensorShardingAttr:
    mesh = sharding.mesh_or_ref
    return replace(sharding, mesh_or_ref=rename(mesh)) if isinstance(mesh, str) else sharding
