"""`-mpmd-mark-fragment-reserved-memory`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from sdykit.core import ModulePass, fail, meshes_of
from sdykit.core.mpmd.program import (
    ALIASING_OUTPUT,
    ARG_ATTRS,
    BUFFER_DONOR,
    FRAGMENT,
    FRAGMENT_CALL,
    RES_ATTRS,
    TOPOLOGY,
    TRANSFER,
    attributes_of,
    body_of,
    functions_with,
    is_marked_pinned_host,
    is_true,
    parent_of,
    pinned_host_marks,
)
from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.mpmd._shared.uses import last_uses

_TOKEN = "!stablehlo.token"
_EXPECTED = (
    "Expected only TransferOp, FragmentOp, FragmentCallOp and ReturnOp in the function body."
)


@dataclass(frozen=True)
class MarkFragmentReservedMemoryPass(ModulePass):
    """Mark each fragment with the bytes that other values take up while it runs.

    XLA must leave that much memory of each device free when it compiles the fragment: the
    bytes of all values that are live on the fragment's mesh, without the distinct operands
    of the fragment, each with the shape it has on one device. The pass visits the body of
    each function with a topology in order:

    - At the start, the arguments of the function are live, unless they are donated and have
      no users. An argument with `jax.buffer_donor = true` or `tf.aliasing_output` is donated.
    - After the last fragment or transfer that uses a value, the value is dead. Returned
      values stay live to the end, and so do arguments that are not donated. Results are live
      if they have users.
    - Values in host memory do not count, that is, those with
      `mhlo.memory_kind = "pinned_host"` as an argument of the function, in `arg_attrs` or in
      `res_attrs`. The memory kind in a type is ignored.

    Run it after aliasing and memory kinds have been marked.

    Fails if the body has an op other than fragments, fragment calls, transfers and the return.

    Before:

    ```mlir
    func.func public @main(%arg0: !m1_8xf32, %arg1: !m1_8xf32) ... {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (...) {...}
      %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%arg1) (...) {...}
      return %0, %1 : ...
    ```

    After:

    ```mlir
    func.func public @main(%arg0: !m1_8xf32, %arg1: !m1_8xf32) ... {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0)
          {xla_tpu_user_reserved_hbm_bytes = 32 : i64} (...) {...}
      %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%arg1)
          {xla_tpu_user_reserved_hbm_bytes = 64 : i64} (...) {...}
      return %0, %1 : ...
    ```
    """

    name = "mpmd-mark-fragment-reserved-memory"

    attribute: Literal["xla_tpu_user_reserved_hbm_bytes", "reserved_hbm_bytes"] = (
        "xla_tpu_user_reserved_hbm_bytes"
    )
    """The attribute to set; jaxlib 0.10.2 calls it `reserved_hbm_bytes`."""

    aliased_counts_as_donated: bool = True
    """Count arguments of the function with `tf.aliasing_output` as donated.

    In jaxlib 0.10.2 only `jax.buffer_donor = true` counts.
    """

    def run(self, module: ModuleOp) -> None:
        meshes: dict[ir.Operation, dict[str, sdy.MeshAttr]] = {}
        for func in functions_with(module, TOPOLOGY):
            # A function in a nested module refers to the meshes of that module.
            parent = parent_of(func)
            if parent not in meshes:
                meshes[parent] = meshes_of(cast(ModuleOp, parent.opview))
            _Liveness(func, _Sizes(func, meshes[parent]), self).run()


class _Sizes:
    """The mesh of each value, and the bits that it takes up on one device."""

    def __init__(self, func: ir.Operation, meshes: dict[str, sdy.MeshAttr]) -> None:
        self._func = func
        self._meshes = meshes
        self._known: dict[ir.Type, tuple[str, int]] = {}

    def of(self, value: ir.Value) -> tuple[str, int]:
        """Return the name of the mesh of a value, and its bits on one device."""
        found = self._known.get(value.type)
        if found is None:
            try:
                found = self._measure(value.type)
            except (TypeError, ValueError, LookupError) as error:
                where = value.owner if isinstance(value, ir.OpResult) else self._func
                fail(where.operation, f"cannot compute the size of a value: {error}")
            self._known[value.type] = found
        return found

    def _measure(self, kind: ir.Type) -> tuple[str, int]:
        if str(kind) == _TOKEN:
            return "", 0
        tensor = mpmd.MeshTensorType.of(kind)
        return tensor.mesh_name, tensor.size_in_bits(self._mesh(tensor))

    def _mesh(self, tensor: mpmd.MeshTensorType) -> sdy.MeshAttr | None:
        if tensor.sharding is None:
            return None
        mesh = tensor.sharding.mesh_or_ref
        return self._meshes.get(mesh) if isinstance(mesh, str) else mesh


class _Liveness:
    """Visits the body of a function in order, and counts the live bits of each mesh."""

    def __init__(
        self, func: ir.Operation, sizes: _Sizes, options: MarkFragmentReservedMemoryPass
    ) -> None:
        self._func = func
        self._sizes = sizes
        self._options = options
        self._ops = [op.operation for op in body_of(func)]
        self._uses = last_uses(self._ops)
        self._live: dict[str, int] = defaultdict(int)
        self._kept: set[ir.Value] = set()
        """Arguments that are not donated, so the caller keeps them."""

    def run(self) -> None:
        """Set the attribute on all fragments."""
        for op in self._ops[:-1]:
            if op.name not in (FRAGMENT, FRAGMENT_CALL, TRANSFER):
                fail(op.location, _EXPECTED)
        self._start()
        for position, op in enumerate(self._ops[:-1]):
            operands = self._operands(op)
            if op.name == FRAGMENT:
                self._mark(op, operands)
            for value in operands:
                if self._dies(value, position):
                    self._count(value, -1)
            on_host = pinned_host_marks(op, RES_ATTRS, len(op.results))
            for result, is_on_host in zip(op.results, on_host, strict=True):
                if result in self._uses and not is_on_host:
                    self._count(result, 1)

    def _start(self) -> None:
        arguments = body_of(self._func).arguments
        attributes = attributes_of(self._func, ARG_ATTRS, len(arguments))
        for argument, own in zip(arguments, attributes, strict=True):
            aliased = self._options.aliased_counts_as_donated and ALIASING_OUTPUT in own
            donated = is_true(own.get(BUFFER_DONOR)) or aliased
            if not donated:
                self._kept.add(argument)
            if not is_marked_pinned_host(own) and (argument in self._uses or not donated):
                self._count(argument, 1)

    def _operands(self, op: ir.Operation) -> list[ir.Value]:
        """List the distinct operands that are not on the host."""
        on_host = pinned_host_marks(op, ARG_ATTRS, len(op.operands))
        operands = zip(op.operands, on_host, strict=True)
        return list(dict.fromkeys(value for value, is_on_host in operands if not is_on_host))

    def _mark(self, fragment: ir.Operation, operands: Sequence[ir.Value]) -> None:
        mesh = ir.StringAttr(fragment.attributes["mesh_name"]).value
        own = sum(self._sizes.of(value)[1] for value in operands)
        # Rounded up once, for the sum: values smaller than a byte share bytes.
        reserved = -(-(self._live[mesh] - own) // 8)
        i64 = ir.IntegerType.get_signless(64)
        fragment.attributes[self._options.attribute] = ir.IntegerAttr.get(i64, reserved)

    def _dies(self, value: ir.Value, position: int) -> bool:
        return value not in self._kept and self._uses[value][0] == position

    def _count(self, value: ir.Value, sign: int) -> None:
        mesh, size = self._sizes.of(value)
        self._live[mesh] += sign * size
